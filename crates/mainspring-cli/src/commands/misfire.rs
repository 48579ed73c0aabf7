//! `mainspring misfire …`.

use clap::{Args, Subcommand, ValueEnum};
use mainspring_api::{MisfireFilter, MisfireItem, Page};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::Result;
use crate::output::Output;
use crate::pages::{self, ListArgs};
use crate::past::SpanArgs;
use crate::views::{MISFIRE, MISFIRE_GROUP, MisfireGroup};

/// List the fire times of all triggers that did not fire
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring misfire list                               the last 24 hours
  mainspring misfire list nightly-report --since 7d
  mainspring misfire list --cause misfire --policy do_nothing
  mainspring misfire list --since 7d --group-by policy  how many each policy let pass")]
pub struct MisfireArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List misfires of a namespace, the newest first, and why nothing fired
    List(MisfireListArgs),
}

#[derive(Debug, Args)]
struct MisfireListArgs {
    /// Only of this job
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// missed, or suppressed by an overlap policy or a full queue
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
    /// misfire, catch_up_cap, overlap, queue_full, paused, changed or deleted
    #[arg(long, value_name = "WORD")]
    cause: Option<String>,
    /// What let it pass: a misfire policy such as do_nothing, an overlap policy such as skip, max_waiting, edit, resume, delete
    #[arg(long, value_name = "WORD")]
    policy: Option<String>,
    /// Sums by one of their words in place of a list
    #[arg(long, value_name = "WORD")]
    group_by: Option<GroupBy>,
    #[command(flatten)]
    span: SpanArgs,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GroupBy {
    Policy,
    Cause,
    Outcome,
    Job,
}

impl GroupBy {
    fn of(self, item: &MisfireItem) -> String {
        match self {
            Self::Policy => item.policy.clone(),
            Self::Cause => item.cause.clone(),
            Self::Outcome => item.outcome.clone(),
            Self::Job => format!("{}/{}", item.namespace, item.job),
        }
    }
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: MisfireArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let Verb::List(list) = args.verb;
    connect::block_on(show(&session, list, output))
}

async fn show(session: &Session, args: MisfireListArgs, output: &Output) -> Result {
    let span = args.span.read(output)?;
    let filter = MisfireFilter {
        namespace: Some(session.namespace.clone()),
        job: args.job,
        from: span.from,
        to: span.to,
        outcome: args.outcome,
        cause: args.cause,
        policy: args.policy,
        ..MisfireFilter::default()
    };
    // Sums are of all, whatever the list is cut to.
    let page = if args.group_by.is_some() { ListArgs::all() } else { args.list };
    let items = pages::collect(&page, output, async |cursor, limit| {
        let filter = MisfireFilter { cursor, limit: Some(limit), ..filter.clone() };
        let found = session.ask(session.client.misfires(&filter)).await?;
        Ok(Page { items: found.items, next_cursor: found.next_cursor })
    });
    let items = items.await?;
    match args.group_by {
        Some(by) => output.list(&groups(&items, by), &MISFIRE_GROUP),
        None => output.list(&items, &MISFIRE),
    }
}

/// Sums misfires up by a word, the most instants first.
fn groups(items: &[MisfireItem], by: GroupBy) -> Vec<MisfireGroup> {
    let mut found: Vec<MisfireGroup> = Vec::new();
    for item in items {
        let group = by.of(item);
        let at = found.iter().position(|known| known.group == group).unwrap_or_else(|| {
            found.push(MisfireGroup { group, ..MisfireGroup::default() });
            found.len() - 1
        });
        let sums = &mut found[at];
        sums.records += 1;
        let sum = if item.outcome == "suppressed" { &mut sums.suppressed } else { &mut sums.missed };
        *sum = sum.saturating_add(item.count);
    }
    found.sort_by_key(|group| std::cmp::Reverse(group.missed.saturating_add(group.suppressed)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misfires_are_summed_up_by_a_word() {
        let item = |policy: &str, outcome: &str, count: u64| -> MisfireItem {
            serde_json::from_value(serde_json::json!({
                "id": "1", "namespace": "a", "job": "b", "first": "2026-01-30T12:00:00Z", "last": "2026-01-30T12:00:00Z",
                "count": count, "outcome": outcome, "cause": "misfire", "policy": policy, "recorded_at": "2026-01-30T12:00:00Z",
            }))
            .unwrap()
        };
        let items = [item("skip", "suppressed", 3), item("do_nothing", "missed", 9), item("skip", "suppressed", 4)];
        let told = |by| {
            let found = groups(&items, by).into_iter();
            found.map(|it| (it.group, it.records, it.missed, it.suppressed)).collect::<Vec<_>>()
        };
        assert_eq!(told(GroupBy::Policy), [("do_nothing".to_owned(), 1, 9, 0), ("skip".to_owned(), 2, 0, 7)]);
        assert_eq!(told(GroupBy::Job), [("a/b".to_owned(), 3, 9, 7)]);
    }
}
