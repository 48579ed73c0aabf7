//! Runs that a query finds: what its terms mean, and the walk over the store.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mainspring_core::RunId;
use mainspring_core::run::{Origin, RunState};
use mainspring_schedule::Timestamp;
use mainspring_store::{RunInfo, RunQuery};

use super::{Bound, Field, Kind, Query, Term, Test, compare};
use crate::app::App;
use crate::refusal::Answer;
use crate::show::Runs;

const STATES: &[&str] =
    &["waiting", "held", "scheduled", "queued", "running", "succeeded", "failed", "cancelled", "skipped"];
const ORIGINS: &[&str] = &["schedule", "manual", "api", "retry", "parent", "misfire", "backfill", "after", "imported"];

/// What can be asked of runs.
pub(crate) const FIELDS: &[Field] = &[
    Field { name: "state", kind: Kind::Word(STATES) },
    Field { name: "job", kind: Kind::Text },
    Field { name: "namespace", kind: Kind::Text },
    Field { name: "trigger", kind: Kind::Text },
    Field { name: "origin", kind: Kind::Word(ORIGINS) },
    Field { name: "queue", kind: Kind::Text },
    Field { name: "worker", kind: Kind::Text },
    Field { name: "node", kind: Kind::Text },
    Field { name: "label", kind: Kind::Text },
    Field { name: "error", kind: Kind::Text },
    Field { name: "exit", kind: Kind::Number },
    Field { name: "attempt", kind: Kind::Number },
    Field { name: "took", kind: Kind::Duration },
    Field { name: "created", kind: Kind::Instant },
    Field { name: "due", kind: Kind::Instant },
    Field { name: "started", kind: Kind::Instant },
    Field { name: "ended", kind: Kind::Instant },
];

/// Runs that are read at once.
const SCANNED_AT_ONCE: usize = 500;
/// A walk answers after this time with what it has. At least one part is looked at, so that going on gets ahead.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a walk came to.
pub(crate) struct Walked {
    /// The runs, newest first.
    pub(crate) found: Vec<RunInfo>,
    /// Where to go on: there may be more before this run.
    pub(crate) rest: Option<RunId>,
}

/// Finds runs, newest first: those of `asked` that fit a query, up to `limit` or as many as the time allows.
pub(crate) async fn walk(app: &App, mut asked: RunQuery, query: &Query, limit: usize) -> Answer<Walked> {
    let began = Instant::now();
    let at_once = if query.0.is_empty() { limit + 1 } else { SCANNED_AT_ONCE };
    asked.limit = u32::try_from(at_once).unwrap_or(u32::MAX);
    push_down(query, &mut asked, app.now());
    // They are those of what the run executes, which is read once for all runs of it.
    let asks_labels = query.0.iter().any(|term| term.field == Some("label"));
    let mut labelled = Runs::new(app.control());
    let mut found: Vec<RunInfo> = Vec::new();
    loop {
        let runs = app.control().store().runs(asked.clone()).await?;
        let is_last = runs.len() < at_once;
        asked.before = runs.last().map(|run| run.id);
        let now = app.now();
        for run in runs {
            let labels = if asks_labels { labelled.labels(&run).await? } else { BTreeMap::new() };
            if !query.0.iter().all(|term| holds(term, &run, &labels, now) != term.negated) {
                continue;
            }
            if found.len() == limit {
                return Ok(Walked { rest: found.last().map(|run| run.id), found });
            }
            found.push(run);
        }
        if is_last {
            return Ok(Walked { found, rest: None });
        }
        if began.elapsed() >= PATIENCE {
            return Ok(Walked { found, rest: asked.before });
        }
    }
}

/// Adds what the store can look for by itself. It finds at least what the query does.
fn push_down(query: &Query, asked: &mut RunQuery, now: Timestamp) {
    let mut states = query.positive(Some("state")).filter_map(|term| match &term.test {
        Test::Any(words) => Some(words.iter().filter_map(|word| RunState::from_word(word)).collect::<Vec<_>>()),
        _ => None,
    });
    if asked.states.is_empty()
        && let Some(states) = states.next()
    {
        asked.states = states;
    }
    for term in query.positive(Some("created")) {
        let from = match term.test {
            Test::More(Bound::At(at)) => at,
            Test::Less(Bound::Span(ms)) => now + ms.saturating_neg(),
            _ => continue,
        };
        asked.from = asked.from.max(Some(from));
    }
}

fn holds(term: &Term, run: &RunInfo, labels: &BTreeMap<String, String>, now: Timestamp) -> bool {
    let test = &term.test;
    let one = |text: &str, fits: fn(&str, &str) -> bool| compare::texts(test, &[text.to_lowercase()], fits);
    let any = |text: &Option<String>| text.as_deref().is_some_and(|text| one(text, compare::is));
    match term.field {
        None => {
            let id = run.id.to_string();
            let begins = |pattern: &str, text: &str| text.starts_with(pattern);
            one(&run.key.name, compare::is_in) || one(&id, begins) || texts_of_error(test, run)
        }
        Some("state") => one(run.state.as_str(), compare::is),
        Some("job") => one(&run.key.name, compare::is_in),
        Some("namespace") => one(&run.key.namespace, compare::is),
        Some("trigger") => any(&run.trigger_name),
        Some("origin") => one(origin(run.origin), compare::is),
        Some("queue") => one(&run.queue, compare::is),
        Some("worker") => any(&run.worker),
        Some("node") => any(&run.node),
        Some("label") => compare::labels(test, labels),
        Some("error") => texts_of_error(test, run),
        Some("exit") => compare::number(test, run.exit_code.map(i64::from)),
        Some("attempt") => compare::number(test, Some(i64::from(run.attempt))),
        Some("took") => compare::number(test, took(run, now)),
        Some("created") => compare::instant(test, Some(run.created_at), now),
        Some("due") => compare::instant(test, Some(run.due_at), now),
        Some("started") => compare::instant(test, run.started_at, now),
        Some("ended") => compare::instant(test, run.ended_at.filter(|_| run.state.is_final()), now),
        Some(_) => false,
    }
}

/// The word of the API.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Rerun => "retry",
        other => other.as_str(),
    }
}

fn texts_of_error(test: &Test, run: &RunInfo) -> bool {
    let texts = [&run.error, &run.error_code, &run.reason].into_iter().flatten();
    let texts: Vec<String> = texts.map(|text| text.to_lowercase()).collect();
    compare::texts(test, &texts, compare::is_in)
}

/// How long the latest attempt of a run took, or has taken so far.
fn took(run: &RunInfo, now: Timestamp) -> Option<i64> {
    match run.state {
        RunState::Running => Some(now.since(run.started_at.or(run.claimed_at)?).max(0)),
        state if state.is_final() => Some(run.ended_at?.since(run.started_at?).max(0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    #[test]
    fn words_are_those_of_the_core() {
        assert_eq!(STATES, RunState::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>());
        assert_eq!(ORIGINS, Origin::ALL.iter().map(|known| origin(*known)).collect::<Vec<_>>());
    }

    #[test]
    fn store_looks_for_states_and_times() {
        let now = Timestamp::from_millis(1_767_225_600_000);
        let pushed = |text: &str| {
            let mut asked = RunQuery::default();
            push_down(&parse(text, FIELDS).unwrap(), &mut asked, now);
            asked
        };
        assert_eq!(pushed("state:failed,cancelled").states, [RunState::Failed, RunState::Cancelled]);
        assert!(pushed("-state:failed").states.is_empty());
        assert_eq!(pushed("created<1h").from, Some(now + -3_600_000));
        assert_eq!((pushed("created>1h").from, pushed("started<1h").from), (None, None));
    }
}
