//! Where results go: data on stdout in the asked form, everything else on stderr.
//!
//! `json` is one document with the API's own field names, `jsonl` one document per line, `name` one
//! name per line for scripts. Tables are never cut when stdout is no terminal. Colour follows
//! `--color`, `NO_COLOR`, `CLICOLOR_FORCE` and `TERM=dumb` (through anstream).

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use mainspring_api::Problem;
use serde::Serialize;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::notes::{self, note};

mod neutral;
mod style;
mod table;

pub use comfy_table::Cell;
pub use style::{Style, counted, dash, duration, state};
pub use table::{Column, Mixed, View};

/// How results are shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Form of the results
    #[arg(short, long, global = true, value_enum, default_value_t, value_name = "FORM")]
    output: Form,
    /// Columns of the table, in this order; names as in the header, case does not count
    #[arg(long, global = true, value_delimiter = ',', value_name = "NAME,…")]
    columns: Vec<String>,
    /// Leave the header of the table out
    #[arg(long, global = true)]
    no_headers: bool,
    /// Zone that times are shown and read in: local, utc or an IANA name
    #[arg(long, global = true, default_value = "local", value_name = "ZONE")]
    tz: String,
    /// How tables show times
    #[arg(long, global = true, value_enum, default_value_t, value_name = "STYLE")]
    time: TimeStyle,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
    /// Progress of long work, on stderr
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORM")]
    progress: Progress,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// The form of data on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Form {
    /// For people
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON document per line
    Jsonl,
    /// One YAML document
    Yaml,
    /// One name per line
    Name,
}

/// How tables show instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TimeStyle {
    /// Local time with the zone's short name
    #[default]
    Short,
    /// From now: "in 12min", "3h ago"
    Relative,
    /// RFC 3339 with milliseconds and offset
    Iso,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// How long work shows that it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Progress {
    /// A bar on a terminal, else a line every 5 s
    #[default]
    Auto,
    /// A line every 5 s
    Plain,
    /// Nothing
    None,
}

/// Prints what a command found.
#[derive(Debug, Clone)]
pub struct Output {
    form: Form,
    columns: Vec<String>,
    /// Columns that tables begin with beside the usual ones.
    leading: &'static [&'static str],
    headers: bool,
    style: Style,
    progress: Progress,
    quiet: bool,
    /// Whether stdout is a terminal, which obeys what text says.
    terminal: bool,
}

impl Output {
    /// Applies the options; `--color` holds for the whole process.
    ///
    /// # Errors
    /// `zone.unknown` for `--tz`.
    pub fn new(args: OutputArgs) -> Result<Self> {
        match args.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        notes::set_quiet(args.quiet);
        Ok(Self {
            form: args.form(),
            terminal: io::stdout().is_terminal(),
            headers: !args.no_headers,
            style: Style::new(crate::time_value::zone(&args.tz)?, args.time),
            progress: if args.quiet { Progress::None } else { args.progress },
            quiet: args.quiet,
            columns: args.columns,
            leading: &[],
        })
    }

    /// The asked form, for commands whose table is not a list of rows.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Zone, time style and now.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The same, with tables that begin with columns which they leave out otherwise. Chosen columns stay as chosen.
    pub fn led_by(&self, columns: &'static [&'static str]) -> Self {
        Self { leading: columns, ..self.clone() }
    }

    /// Whether columns were chosen: then nothing else is shown.
    pub fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// How to show progress.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Prints several items.
    ///
    /// # Errors
    /// `cli.usage` for an unknown column; fails when stdout cannot be written.
    pub fn list<T: Serialize>(&self, items: &[T], view: &View<T>) -> Result {
        match self.form {
            Form::Table if items.is_empty() => {
                view.select(&self.columns)?;
                self.note(view.empty);
                Ok(())
            }
            Form::Table => self.text(view.rows(items, &self.names(view), self.headers, &self.style)?),
            Form::Json | Form::Yaml | Form::Jsonl => self.items(items),
            Form::Name => items.iter().try_for_each(|item| self.text((view.name)(item))),
        }
    }

    /// Prints several items among which are some of another kind. Names are those of the usual ones alone.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn mixed<T: Serialize, O: Serialize>(
        &self,
        items: &[Mixed<T, O>],
        view: &View<T>,
        other: fn(&O, &str, &Style) -> Cell,
    ) -> Result {
        match self.form {
            Form::Table if items.is_empty() => self.list(&[], view),
            Form::Table => self.text(view.mixed(items, other, &self.names(view), self.headers, &self.style)?),
            Form::Json | Form::Yaml | Form::Jsonl => self.items(items),
            Form::Name => items.iter().try_for_each(|item| match item {
                Mixed::Usual(item) => self.text((view.name)(item)),
                Mixed::Other(_) => Ok(()),
            }),
        }
    }

    /// The columns of a list, by their names.
    fn names<T>(&self, view: &View<T>) -> Vec<String> {
        match self.columns.is_empty() {
            true => self.leading.iter().copied().chain(view.usual()).map(str::to_owned).collect(),
            false => self.columns.clone(),
        }
    }

    /// Prints several items as documents: one `{"items": …}`, or one per line.
    ///
    /// # Errors
    /// Fails when stdout cannot be written.
    pub fn items<T: Serialize>(&self, items: &[T]) -> Result {
        match self.form {
            Form::Jsonl => items.iter().try_for_each(|item| self.document(item)),
            _ => self.document(&Items { items }),
        }
    }

    /// Prints one item, as a table with one field per line.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn one<T: Serialize>(&self, item: &T, view: &View<T>) -> Result {
        match self.form {
            Form::Table => self.text(view.fields(item, &self.columns, &self.style)?),
            Form::Name => self.text((view.name)(item)),
            Form::Json | Form::Jsonl | Form::Yaml => self.document(item),
        }
    }

    /// Prints a document in the asked form; without columns, a table is JSON.
    ///
    /// # Errors
    /// Fails when stdout cannot be written.
    pub fn document<T: Serialize>(&self, document: &T) -> Result {
        self.document_as(self.form, document)
    }

    /// Prints a document in a form of the caller's choice.
    ///
    /// # Errors
    /// Fails when stdout cannot be written.
    pub fn document_as<T: Serialize>(&self, form: Form, document: &T) -> Result {
        let text = match form {
            Form::Yaml => serde_saphyr::to_string(document).map_err(|error| error.to_string()),
            Form::Jsonl => serde_json::to_string(document).map_err(|error| error.to_string()),
            _ => serde_json::to_string_pretty(document).map_err(|error| error.to_string()),
        };
        let text = text.map_err(|error| Error::new(Exit::Failure, Report::new("cli.output", error)))?;
        self.text(text)
    }

    /// Says in a sentence what was done to an item, or prints the item in the other forms.
    ///
    /// # Errors
    /// Fails when stdout cannot be written.
    pub fn done<T: Serialize>(&self, item: &T, view: &View<T>, sentence: impl fmt::Display) -> Result {
        match self.form {
            Form::Table => self.text(sentence),
            _ => self.one(item, view),
        }
    }

    /// Prints text and ends its line. On a terminal, control sequences in it are shown, not obeyed; colours stay.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn line(&self, text: impl fmt::Display) -> Result {
        let mut stdout = anstream::stdout().lock();
        let written = writeln!(stdout, "{}", self.shown(&text.to_string()));
        written.and_then(|()| stdout.flush()).map_err(write_failed)
    }

    /// Prints text with all that is in it, wherever it goes, and ends its line.
    ///
    /// # Errors
    /// As [`Self::text`].
    #[expect(clippy::unused_self, reason = "all that is printed goes through the output")]
    pub fn raw_line(&self, text: impl fmt::Display) -> Result {
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{text}");
        written.and_then(|()| stdout.flush()).map_err(write_failed)
    }

    /// Whether a person reads stdout, as opposed to a file or a journal that keeps it.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.terminal { neutral::neutral(text) } else { Cow::Borrowed(text) }
    }

    /// Prints text without the line ends at its end, and ends its line.
    ///
    /// # Errors
    /// Ends silently when the reader of a pipe has gone, and fails when stdout cannot be written.
    pub fn text(&self, text: impl fmt::Display) -> Result {
        let text = text.to_string();
        self.line(text.trim_end_matches('\n'))
    }

    /// Tells a person what to try next: not a script, whose stdout or stderr is no terminal.
    pub fn hint(&self, text: impl fmt::Display) {
        if self.terminal && io::stderr().is_terminal() {
            self.note(text);
        }
    }

    /// Says on stderr what is allowed and probably not meant, unless `--quiet`.
    pub fn warn(&self, warnings: &[Problem]) {
        for warning in warnings {
            let report = Report::from(warning.clone());
            self.note(format_args!("\x1b[1;33mwarning[{}]\x1b[0m: {report}", warning.code));
        }
    }

    /// Says something on stderr that is not data, unless `--quiet`.
    pub fn note(&self, text: impl fmt::Display) {
        if !self.quiet {
            note(text);
        }
    }
}

impl OutputArgs {
    fn form(&self) -> Form {
        self.output
    }
}

/// The shape of a page of the API.
#[derive(Serialize)]
struct Items<'a, T> {
    items: &'a [T],
}

fn write_failed(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Error::silent(Exit::Success);
    }
    let report = Report::new("cli.output", format!("cannot write to stdout: {error}"));
    Error::new(Exit::Failure, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_is_kept_from_what_text_tells_it() {
        let output = |terminal| Output {
            form: Form::Table,
            columns: Vec::new(),
            leading: &[],
            headers: true,
            style: Style::new(jiff::tz::TimeZone::UTC, TimeStyle::Short),
            progress: Progress::None,
            quiet: false,
            terminal,
        };
        let text = "\x1b[31mred\x1b[0m\x1b]0;title\x07";
        assert_eq!(output(true).shown(text), "\x1b[31mred\x1b[0m^[]0;title^G");
        assert_eq!(output(false).shown(text), text);
    }
}
