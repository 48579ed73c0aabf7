//! What has been: runs, and between them the instants that did not become one.

use clap::Args;
use mainspring_api::{MisfireFilter, MisfireItem, Page, Run, Timestamp};

use crate::connect::Session;
use crate::error::Result;
use crate::output::{Mixed, Output};
use crate::pages::{self, ListArgs};
use crate::time_value::{self, Direction};
use crate::views::{RUN, misfire_cell};

/// From when to when.
#[derive(Debug, Clone, Default, Args)]
pub struct SpanArgs {
    /// Only from this time on: 2h, yesterday, 2026-03-08
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

/// The same as instants.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// The first that counts.
    pub from: Option<Timestamp>,
    /// The first that does not.
    pub to: Option<Timestamp>,
}

impl SpanArgs {
    /// Reads both times.
    ///
    /// # Errors
    /// `time.invalid` and its kin for what is no time.
    pub fn read(&self, output: &Output) -> Result<Span> {
        let read = |text: &Option<String>| -> Result<Option<Timestamp>> {
            let instant = text.as_ref().map(|text| time_value::parse(text, &output.style().now(), Direction::Past));
            Ok(instant.transpose()?.map(|instant| Timestamp::from_millis(instant.as_millisecond())))
        };
        Ok(Span { from: read(&self.since)?, to: read(&self.until)? })
    }
}

/// Prints runs, which come newest first, with the instants of the same time that did not fire.
///
/// # Errors
/// Whatever the server reports.
pub async fn show(
    session: &Session,
    runs: Vec<Run>,
    (namespace, job): (Option<String>, Option<String>),
    span: Span,
    page: &ListArgs,
    output: &Output,
) -> Result {
    // Where the list of runs was cut, what is older was cut as well.
    let is_cut = page.limit().is_some_and(|limit| runs.len() >= limit);
    let oldest = runs.last().filter(|_| is_cut).map(instant_of);
    let filter = MisfireFilter {
        namespace,
        job,
        from: Some(oldest.or(span.from).unwrap_or(Timestamp::from_millis(0))),
        to: span.to,
        ..MisfireFilter::default()
    };
    let passed = pages::collect(page, output, async |cursor, limit| {
        let filter = MisfireFilter { cursor, limit: Some(limit), ..filter.clone() };
        let found = session.ask(session.client.misfires(&filter)).await?;
        Ok(Page { items: found.items, next_cursor: found.next_cursor })
    });
    let mut items = merged(runs, passed.await?);
    items.truncate(page.limit().unwrap_or(usize::MAX));
    output.mixed(&items, &RUN, misfire_cell)
}

/// Puts both in one order, newest first; each list keeps its own.
fn merged(runs: Vec<Run>, passed: Vec<MisfireItem>) -> Vec<Mixed<Run, MisfireItem>> {
    let mut items = Vec::with_capacity(runs.len() + passed.len());
    let (mut runs, mut passed) = (runs.into_iter().peekable(), passed.into_iter().peekable());
    loop {
        let newer = match (runs.peek(), passed.peek()) {
            (None, None) => return items,
            (Some(run), Some(gap)) => gap.last > instant_of(run),
            (run, _) => run.is_none(),
        };
        items.extend(if newer { passed.next().map(Mixed::Other) } else { runs.next().map(Mixed::Usual) });
    }
}

fn instant_of(run: &Run) -> Timestamp {
    run.fire_at.unwrap_or(run.created_at)
}
