//! Fire times that did not fire, over all triggers.

use axum::Json;
use axum::extract::State;
use mainspring_api::{ErrorCode, GapFilter, MisfireFilter, MisfireItem, Misfires, did_you_mean, routes};
use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::job::Overlap;
use mainspring_core::{Timestamp, TriggerId};
use mainspring_schedule::MisfirePolicy;
use mainspring_store::GapRow;
use utoipa_axum::routes;

use super::{Route, named_namespace};
use crate::app::App;
use crate::extract::QueryOf;
use crate::misfires::{Of, summary};
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::{from_wire, instant};

const DAY_MS: i64 = 86_400_000;
/// Records that are read at once, and how often for one page.
const READ_AT_ONCE: u32 = 1_000;
const READS_MAX: usize = 10;
/// Nodes record side by side, so a later record may bear an instant that is this much earlier, in milliseconds.
const SIDE_BY_SIDE_MS: i64 = 60_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(misfires))]
}

/// Lists what was not fired, over all triggers and the newest first, and says in which times nobody was there to fire.
#[utoipa::path(get, path = routes::MISFIRES, tag = "triggers", params(MisfireFilter), responses((status = 200, body = Misfires)))]
async fn misfires(State(app): State<App>, QueryOf(filter): QueryOf<MisfireFilter>) -> Answer<Json<Misfires>> {
    let limit = pages::limit(filter.limit)?;
    let wanted = Wanted::of(&filter, app.now())?;
    let before = match filter.cursor.as_deref() {
        Some(cursor) => cursor.parse().map_err(|_| pages::bad_cursor(cursor))?,
        None => i64::MAX,
    };
    let (found, rest) = walk(&app, &wanted, before, limit).await?;
    let at_a_glance = match filter.cursor {
        None => Some(summary(&app, wanted.whose(), walk(&app, &wanted, before, usize::MAX).await?).await?),
        Some(_) => None,
    };
    let items = found.into_iter().map(show).collect();
    Ok(Json(Misfires { items, next_cursor: rest.map(|seq| seq.to_string()), summary: at_a_glance }))
}

/// Which records are looked for.
#[derive(Debug)]
pub(super) struct Wanted {
    trigger: Option<TriggerId>,
    /// The instants themselves, as opposed to when they were recorded.
    instants: (Timestamp, Timestamp),
    namespace: Option<String>,
    job: Option<String>,
    from: Timestamp,
    to: Timestamp,
    outcome: Option<GapOutcome>,
    reason: Option<GapReason>,
    policy: Option<&'static str>,
}

const EVER: (Timestamp, Timestamp) = (Timestamp::MIN, Timestamp::MAX);

impl Wanted {
    /// Those of a trigger, by their instants.
    pub(super) fn of_trigger(trigger: TriggerId, filter: &GapFilter) -> Self {
        Self {
            trigger: Some(trigger),
            instants: (filter.from.map_or(EVER.0, from_wire), filter.to.map_or(EVER.1, from_wire)),
            namespace: None,
            job: None,
            from: EVER.0,
            to: EVER.1,
            outcome: None,
            reason: None,
            policy: None,
        }
    }

    fn of(filter: &MisfireFilter, now: Timestamp) -> Answer<Self> {
        Ok(Self {
            trigger: None,
            instants: EVER,
            namespace: filter.namespace.as_deref().and_then(named_namespace).map(str::to_owned),
            job: filter.job.clone(),
            from: filter.from.map_or(now + -DAY_MS, from_wire),
            to: filter.to.map_or(Timestamp::MAX, from_wire),
            outcome: word("outcome", filter.outcome.as_deref(), GapOutcome::from_word, GapOutcome::ALL, |it| {
                it.as_str()
            })?,
            reason: word("cause", filter.cause.as_deref(), GapReason::from_word, GapReason::ALL, |it| it.as_str())?,
            policy: policy(filter.policy.as_deref())?,
        })
    }

    fn whose(&self) -> Of<'_> {
        Of { namespace: self.namespace.as_deref(), job: self.job.as_deref() }
    }

    fn fits(&self, row: &GapRow) -> bool {
        (self.from..self.to).contains(&row.at)
            && row.gap.last >= self.instants.0
            && row.gap.first < self.instants.1
            && self.namespace.as_ref().is_none_or(|namespace| row.job.namespace == *namespace)
            && self.job.as_ref().is_none_or(|job| row.job.name == *job)
            && self.outcome.is_none_or(|outcome| row.gap.outcome == outcome)
            && self.reason.is_none_or(|reason| row.gap.reason == reason)
            && self.policy.is_none_or(|policy| row.gap.policy == policy)
    }

    /// Whether no record before this one can fit.
    fn is_past(&self, row: &GapRow) -> bool {
        row.at + SIDE_BY_SIDE_MS < self.from
    }
}

/// What stands as the policy of a record where neither a misfire nor an overlap policy let the instants pass.
const OTHER_POLICIES: [&str; 5] = ["max_waiting", "edit", "resume", "delete", "after"];

/// Reads the policy of records. `smart` is none: records have what it chose.
fn policy(asked: Option<&str>) -> Answer<Option<&'static str>> {
    let misfire = MisfirePolicy::ALL.iter().filter(|it| **it != MisfirePolicy::Smart).map(|it| it.as_str());
    let overlap = Overlap::ALL.iter().filter(|it| **it != Overlap::Allow).map(|it| it.as_str());
    let all: Vec<&'static str> = misfire.chain(overlap).chain(OTHER_POLICIES).collect();
    word("policy", asked, |word| all.iter().copied().find(|known| *known == word), &all, |it| it)
}

/// Reads one of a few words.
fn word<T: Copy>(
    name: &str,
    asked: Option<&str>,
    read: impl Fn(&str) -> Option<T>,
    all: &[T],
    text: impl Fn(&T) -> &'static str,
) -> Answer<Option<T>> {
    let Some(asked) = asked else { return Ok(None) };
    let refused = || {
        let words: Vec<_> = all.iter().map(&text).collect();
        let detail = format!("query parameter \"{name}\" takes {}", words.join(", "));
        let refusal = Refusal::new(ErrorCode::RequestQuery, detail);
        match did_you_mean(asked, words) {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    };
    read(asked).map(Some).ok_or_else(refused)
}

type Found = Vec<(GapRow, Option<String>)>;

/// Finds records before a position, newest first: up to `limit`, or as many as a few reads give. Says where to go on.
pub(super) async fn walk(app: &App, wanted: &Wanted, mut before: i64, limit: usize) -> Answer<(Found, Option<i64>)> {
    let mut found: Found = Vec::new();
    for _ in 0..READS_MAX {
        let rows = app.control().store().gaps_before(wanted.trigger, before, READ_AT_ONCE).await?;
        let is_last = rows.len() < READ_AT_ONCE as usize || rows.last().is_some_and(|(row, _)| wanted.is_past(row));
        before = rows.last().map_or(before, |(row, _)| row.seq);
        for row in rows.into_iter().filter(|(row, _)| wanted.fits(row)) {
            if found.len() == limit {
                let rest = found.last().map(|(row, _)| row.seq);
                return Ok((found, rest));
            }
            found.push(row);
        }
        if is_last {
            return Ok((found, None));
        }
    }
    Ok((found, Some(before)))
}

fn show((row, trigger): (GapRow, Option<String>)) -> MisfireItem {
    MisfireItem {
        id: row.seq.to_string(),
        namespace: row.job.namespace,
        job: row.job.name,
        trigger,
        first: instant(row.gap.first),
        last: instant(row.gap.last),
        count: row.gap.count,
        outcome: row.gap.outcome.to_string(),
        cause: row.gap.reason.to_string(),
        policy: row.gap.policy,
        recorded_at: instant(row.at),
        backfill: row.backfill.map(|id| id.to_string()),
        backfilled: row.backfilled,
    }
}
