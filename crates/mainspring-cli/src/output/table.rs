//! Tables for people: one row per item, or one line per field.

use comfy_table::{Attribute, Cell, ContentArrangement, Table, presets};
use serde::Serialize;

use super::Style;
use crate::error::{Error, Result};

/// One column: its header, and how to fill it.
pub struct Column<T> {
    /// The header, in capitals.
    name: &'static str,
    /// Whether it is shown without being asked for; single items show all columns.
    usual: bool,
    /// Makes the cell of an item.
    cell: fn(&T, &Style) -> Cell,
}

impl<T> Column<T> {
    /// A column that tables show.
    pub const fn usual(name: &'static str, cell: fn(&T, &Style) -> Cell) -> Self {
        Self { name, usual: true, cell }
    }

    /// A column that tables show when `--columns` asks for it.
    pub const fn extra(name: &'static str, cell: fn(&T, &Style) -> Cell) -> Self {
        Self { name, usual: false, cell }
    }
}

/// An item of a list, or one of another kind between them.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Mixed<T, O> {
    /// What the list is of.
    Usual(T),
    /// What belongs to it.
    Other(O),
}

/// How a kind of thing is shown.
pub struct View<T: 'static> {
    /// All columns, the usual ones first.
    pub columns: &'static [Column<T>],
    /// The name for `-o name`.
    pub name: fn(&T) -> String,
    /// What to say when there is nothing to list.
    pub empty: &'static str,
}

impl<T> View<T> {
    /// The names of the columns that tables show without being asked.
    pub fn usual(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().filter(|column| column.usual).map(|column| column.name)
    }

    /// Finds the columns that `--columns` names, or the usual ones.
    ///
    /// # Errors
    /// `cli.usage` for an unknown column, with the nearest name.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Column<T>>> {
        if names.is_empty() {
            return Ok(self.columns.iter().filter(|column| column.usual).collect());
        }
        names.iter().map(|name| self.column(name)).collect()
    }

    fn column(&self, name: &str) -> Result<&Column<T>> {
        let found = self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| {
            let known: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
            let hint = mainspring_api::did_you_mean(name, known.iter().copied())
                .unwrap_or_else(|| format!("columns: {}", known.join(", ")));
            Error::usage(format!("there is no column {name:?}")).hint(hint)
        })
    }

    /// Lays the items out, one per row.
    pub fn rows(&self, items: &[T], names: &[String], headers: bool, style: &Style) -> Result<String> {
        self.lay_out(items, |item, column, style| (column.cell)(item, style), names, headers, style)
    }

    /// Lays items out among which are some of another kind, which `other` shows in the same columns, by their names.
    pub fn mixed<O>(
        &self,
        items: &[Mixed<T, O>],
        other: fn(&O, &str, &Style) -> Cell,
        names: &[String],
        headers: bool,
        style: &Style,
    ) -> Result<String> {
        let cell = |item: &Mixed<T, O>, column: &Column<T>, style: &Style| match item {
            Mixed::Usual(item) => (column.cell)(item, style),
            Mixed::Other(item) => other(item, column.name, style),
        };
        self.lay_out(items, cell, names, headers, style)
    }

    fn lay_out<I>(
        &self,
        items: &[I],
        cell: impl Fn(&I, &Column<T>, &Style) -> Cell,
        names: &[String],
        headers: bool,
        style: &Style,
    ) -> Result<String> {
        let columns = self.select(names)?;
        let mut table = bare();
        if headers {
            table.set_header(columns.iter().map(|column| header(column.name)));
        }
        for item in items {
            table.add_row(columns.iter().map(|column| cell(item, column, style)));
        }
        Ok(finish(table))
    }

    /// Lays one item out, one field per line; without what it lacks, unless that was asked for.
    pub fn fields(&self, item: &T, names: &[String], style: &Style) -> Result<String> {
        let all = names.is_empty();
        let columns = if all { self.columns.iter().collect() } else { self.select(names)? };
        let mut table = bare();
        for column in columns {
            let cell = (column.cell)(item, style);
            if !all || cell.content() != super::dash() {
                table.add_row([header(column.name), cell]);
            }
        }
        Ok(finish(table))
    }
}

fn header(name: &str) -> Cell {
    Cell::new(name).add_attribute(Attribute::Bold)
}

/// A table without lines, that wraps only on a terminal. Colour is taken out later, in one place.
fn bare() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).enforce_styling();
    table.style_text_only();
    table
}

fn finish(mut table: Table) -> String {
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { 2 }));
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::TimeStyle;

    const VIEW: View<(&str, u32)> = View {
        columns: &[
            Column::usual("NAME", |item, _| Cell::new(item.0)),
            Column::usual("COUNT", |item, _| Cell::new(item.1)),
            Column::extra("DOUBLE", |item, _| Cell::new(item.1 * 2)),
        ],
        name: |item| item.0.to_owned(),
        empty: "nothing",
    };

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn style() -> Style {
        Style::new(jiff::tz::TimeZone::UTC, TimeStyle::Short)
    }

    #[test]
    fn columns_are_chosen_and_ordered_by_name() {
        let items = [("a", 1), ("longer", 20)];
        let usual = VIEW.rows(&items, &[], true, &style()).unwrap();
        assert_eq!(plain(&usual), "NAME    COUNT\na       1\nlonger  20");
        let names = ["double".to_owned(), "name".to_owned()];
        let chosen = VIEW.rows(&items, &names, false, &style()).unwrap();
        assert_eq!(plain(&chosen), "2   a\n40  longer");
    }

    #[test]
    fn an_unknown_column_is_a_usage_error_with_a_suggestion() {
        let error = VIEW.select(&["cuont".to_owned()]).err().unwrap();
        assert_eq!(error.exit, crate::exit::Exit::Usage);
        assert_eq!(error.reports[0].hints, ["did you mean \"COUNT\"?"]);
    }

    #[test]
    fn one_item_shows_all_fields_that_it_has() {
        let text = VIEW.fields(&("a", 1), &[], &style()).unwrap();
        assert_eq!(plain(&text), "NAME    a\nCOUNT   1\nDOUBLE  2");
        let nameless = VIEW.fields(&("-", 1), &[], &style()).unwrap();
        assert_eq!(plain(&nameless), "COUNT   1\nDOUBLE  2");
        let asked = VIEW.fields(&("-", 1), &["name".to_owned()], &style()).unwrap();
        assert_eq!(plain(&asked), "NAME  -");
    }
}
