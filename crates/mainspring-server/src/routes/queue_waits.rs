//! What waits in a queue, and why.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use mainspring_api::{
    ErrorCode, QueueReason, QueueShare, QueueWaiting, QueueWaitingFilter, WhyCode, WhyReason, routes,
};
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId};
use mainspring_store::{LineWaits, RunInfo, RunQuery};
use utoipa_axum::routes;

use super::Route;
use super::queues::must_be_name;
use super::why::reasons_of;
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::refusal::{Answer, Refusal};
use crate::show::Runs;

/// Runs that are counted.
const COUNTED_MAX: u32 = 100_000;
const HEAD: u32 = 10;
const HEAD_MAX: u32 = 100;
/// Lines of which it is looked why runs wait there: those with most runs. The others are taken to wait for the same as the last of these.
const LINES_MAX: usize = 8;
/// Runs that are named as those that hold a limit.
const HOLDERS_MAX: usize = 20;
/// Runs that are looked at for those that are held at the limits of their jobs.
const HELD_MAX: u32 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(waiting))]
}

/// Says what waits in a queue: how many runs wait for what, of which namespaces they are, and which leave first.
#[utoipa::path(get, path = routes::QUEUE_WAITING, tag = "queues", params(("queue" = String, Path), QueueWaitingFilter),
    responses((status = 200, body = QueueWaiting)))]
async fn waiting(
    State(app): State<App>,
    PathOf(queue): PathOf<String>,
    QueryOf(filter): QueryOf<QueueWaitingFilter>,
) -> Answer<Json<QueueWaiting>> {
    must_be_name(&queue)?;
    let limit = filter.limit.unwrap_or(HEAD);
    if limit > HEAD_MAX {
        return Err(Refusal::new(ErrorCode::RequestQuery, format!("limit is {limit}; it is from 0 to {HEAD_MAX}")));
    }
    let store = app.control().store();
    let mut lines = store.queue_lines(&queue, limit.max(1), COUNTED_MAX).await?;
    let count: u64 = lines.iter().map(|line| u64::from(line.count)).sum();
    let head = first(&lines, limit);
    let running = store.figures().await?.runs;
    let running = running.iter().filter(|it| it.state == RunState::Running && Line::parse(&it.queue).queue() == queue);
    let namespaces = namespaces(&lines, running.map(|it| (&*it.queue, it.count)));
    lines.sort_by_key(|line| Reverse(line.count));
    let reasons = reasons(&app, &lines).await?;
    let held = held(&app, &queue).await?;
    let mut runs = Vec::with_capacity(head.len());
    for run in head {
        runs.extend(still_queued(&app, run).await?);
    }
    let head = Runs::new(app.control()).show_all(runs).await?;
    let is_least = count >= u64::from(COUNTED_MAX);
    Ok(Json(QueueWaiting { queue, count, is_least, reasons, held, namespaces, head }))
}

/// The runs that leave first, whatever their lines.
fn first(lines: &[LineWaits], limit: u32) -> Vec<RunId> {
    let mut runs: Vec<_> = lines.iter().flat_map(|line| &line.first).copied().collect();
    runs.sort_unstable();
    runs.truncate(limit as usize);
    runs.into_iter().map(|(.., run)| run).collect()
}

/// How many runs of each namespace wait, and how many of these lines are executed.
fn namespaces<'a>(lines: &'a [LineWaits], running: impl Iterator<Item = (&'a str, u64)>) -> Vec<QueueShare> {
    let mut counts = BTreeMap::<&str, (u64, u64)>::new();
    let waiting = lines.iter().map(|line| (&*line.line, (u64::from(line.count), 0)));
    for (line, (waits, runs)) in waiting.chain(running.map(|(line, count)| (line, (0, count)))) {
        if let Line::Shared { namespace, .. } = Line::parse(line) {
            let count = counts.entry(namespace).or_default();
            *count = (count.0 + waits, count.1 + runs);
        }
    }
    let sharers = counts.values().filter(|(waits, _)| *waits > 0).count().max(1);
    let each = u32::try_from(1_000 / sharers).unwrap_or(0);
    let share = |(namespace, (count, running)): (&str, (u64, u64))| {
        let share_permille = if count > 0 { each } else { 0 };
        QueueShare { namespace: namespace.to_owned(), count, running, share_permille }
    };
    let mut shares: Vec<QueueShare> = counts.into_iter().map(share).collect();
    shares.sort_by_key(|share| (Reverse(share.count), Reverse(share.running)));
    shares
}

/// Why runs wait, by what is in the way of the first of each line. Lines come with most runs first.
async fn reasons(app: &App, lines: &[LineWaits]) -> Answer<Vec<QueueReason>> {
    let mut reasons: Vec<QueueReason> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let count = u64::from(line.count);
        if let Some(last) = reasons.last_mut().filter(|_| place >= LINES_MAX) {
            last.count += count;
            continue;
        }
        let Some((.., run)) = line.first.first() else { continue };
        let Some(run) = still_queued(app, *run).await? else { continue };
        let Some(why) = reasons_of(app, run).await?.into_iter().next() else { continue };
        match reasons.iter_mut().find(|reason| (reason.code, &reason.message) == (why.code, &why.message)) {
            Some(same) => same.count += count,
            None => reasons.push(reason(app, why, count).await?),
        }
    }
    reasons.sort_by_key(|reason| Reverse(reason.count));
    Ok(reasons)
}

/// A reason for which so many runs wait, with the runs that hold what they wait for.
async fn reason(app: &App, why: WhyReason, count: u64) -> Answer<QueueReason> {
    let WhyReason { code, message, hint, runs, .. } = why;
    let mut holders = Vec::new();
    if matches!(code, WhyCode::QueueLimit | WhyCode::LabelLimit | WhyCode::JobLimit) {
        for run in runs.iter().filter_map(|run| run.parse().ok()).take(HOLDERS_MAX) {
            holders.extend(app.control().store().run(run).await?.filter(|run| !run.state.is_final()));
        }
        holders.sort_by_key(|run: &RunInfo| (run.claimed_at.is_none(), run.claimed_at, run.id));
    }
    let holders = Runs::new(app.control()).show_all(holders).await?;
    Ok(QueueReason { code, message, hint, count, job: None, holders })
}

/// What is held at the limit of its job before it comes into the queue, for those jobs of which most is.
async fn held(app: &App, queue: &str) -> Answer<Vec<QueueReason>> {
    let query = RunQuery { states: vec![RunState::Held], with_tasks: true, limit: HELD_MAX, ..RunQuery::default() };
    let mut jobs = BTreeMap::<JobId, (u64, RunInfo)>::new();
    for run in app.control().store().runs(query).await? {
        if Line::parse(&run.queue).queue() == queue {
            jobs.entry(run.job).and_modify(|(count, _)| *count += 1).or_insert((1, run));
        }
    }
    let mut jobs: Vec<_> = jobs.into_values().collect();
    jobs.sort_by_key(|(count, _)| Reverse(*count));
    let mut held = Vec::new();
    for (count, run) in jobs.into_iter().take(LINES_MAX) {
        let key = run.key.clone();
        let Some(why) = reasons_of(app, run).await?.into_iter().find(|why| why.code == WhyCode::JobLimit) else {
            continue;
        };
        held.push(QueueReason { job: Some(key.to_string()), ..reason(app, why, count).await? });
    }
    Ok(held)
}

async fn still_queued(app: &App, run: RunId) -> Answer<Option<RunInfo>> {
    Ok(app.control().store().run(run).await?.filter(|run| run.state == RunState::Queued))
}

#[cfg(test)]
mod tests {
    use mainspring_core::Timestamp;

    use super::*;

    #[test]
    fn lines_of_a_queue_make_one_order_and_shares_of_namespaces() {
        let run = |number: u8| RunId::from_bytes([number; 16]);
        let at = Timestamp::from_millis;
        let line = |line: &str, count, first: &[(i64, u8)]| LineWaits {
            line: line.to_owned(),
            count,
            first: first.iter().map(|(place, number)| (*place, at(*place), run(*number))).collect(),
        };
        let lines = [
            line("mail", 3, &[(10, 1), (40, 4)]),
            line("mail#~", 2, &[(20, 2)]),
            line("mail#billing~", 7, &[(30, 3)]),
            line("mail/@north", 1, &[(5, 5)]),
        ];
        assert_eq!(first(&lines, 4), [5, 1, 2, 3].map(run));
        let running = [("mail#billing", 1), ("mail#crm~", 3), ("mail/@north", 9)].into_iter();
        let shares = namespaces(&lines, running).into_iter();
        let shares: Vec<_> = shares.map(|it| (it.namespace, it.count, it.running, it.share_permille)).collect();
        let share = |namespace: &str, count, running, permille| (namespace.to_owned(), count, running, permille);
        assert_eq!(shares, [share("billing", 7, 1, 500), share("default", 5, 0, 500), share("crm", 0, 3, 0)]);
    }
}
