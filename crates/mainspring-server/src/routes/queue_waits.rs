//! What waits in a queue, and why.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use mainspring_api::{ErrorCode, QueueReason, QueueShare, QueueWaiting, QueueWaitingFilter, routes};
use mainspring_core::RunId;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_store::{LineWaits, RunInfo};
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
    let namespaces = namespaces(&lines);
    lines.sort_by_key(|line| Reverse(line.count));
    let reasons = reasons(&app, &lines).await?;
    let mut runs = Vec::with_capacity(head.len());
    for run in head {
        runs.extend(still_queued(&app, run).await?);
    }
    let head = Runs::new(app.control()).show_all(runs).await?;
    let is_least = count >= u64::from(COUNTED_MAX);
    Ok(Json(QueueWaiting { queue, count, is_least, reasons, namespaces, head }))
}

/// The runs that leave first, whatever their lines.
fn first(lines: &[LineWaits], limit: u32) -> Vec<RunId> {
    let mut runs: Vec<_> = lines.iter().flat_map(|line| &line.first).copied().collect();
    runs.sort_unstable();
    runs.truncate(limit as usize);
    runs.into_iter().map(|(.., run)| run).collect()
}

fn namespaces(lines: &[LineWaits]) -> Vec<QueueShare> {
    let mut counts = BTreeMap::<&str, u64>::new();
    for line in lines {
        if let Line::Shared { namespace, .. } = Line::parse(&line.line) {
            *counts.entry(namespace).or_default() += u64::from(line.count);
        }
    }
    let share = |(namespace, count): (&str, u64)| QueueShare { namespace: namespace.to_owned(), count };
    let mut shares: Vec<QueueShare> = counts.into_iter().map(share).collect();
    shares.sort_by_key(|share| Reverse(share.count));
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
            None => reasons.push(QueueReason { code: why.code, message: why.message, hint: why.hint, count }),
        }
    }
    reasons.sort_by_key(|reason| Reverse(reason.count));
    Ok(reasons)
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
        let shares: Vec<_> = namespaces(&lines).into_iter().map(|share| (share.namespace, share.count)).collect();
        assert_eq!(shares, [("billing".to_owned(), 7), ("default".to_owned(), 5)]);
    }
}
