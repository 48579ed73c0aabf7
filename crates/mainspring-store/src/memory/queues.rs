//! What is set for queues, and how runs leave those for which something is.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::queue::{QueueRule, is_plain, namespace_of, share_out};
use mainspring_core::routing::queue_of;
use mainspring_core::run::RunState;

use super::live::{Live, Run};
use super::model::Model;
use super::queue::take;
use crate::error::{Error, Result};
use crate::row::QueueRow;

/// A queue for which something is set.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) row: QueueRow,
    /// Until when the time of its rate is taken up.
    used_us: i64,
}

/// See [`crate::Store::set_queue`].
pub(super) fn set_queue(model: &mut Model, name: &str, rule: QueueRule, expect: i64) -> Result<QueueRow> {
    let before = model.queues.get(name);
    let revision = before.map_or(0, |line| line.row.revision);
    // What has left at another rate says nothing of this one.
    let used_us = before.filter(|line| line.row.rule.rate == rule.rate).map_or(0, |line| line.used_us);
    if revision != expect {
        let why = format!("is at revision {revision}, not {expect}");
        return Err(Error::Conflict { what: "queue", key: name.to_owned(), why });
    }
    let row = QueueRow { name: name.to_owned(), rule, revision: revision + 1 };
    model.queues.insert(name.to_owned(), Line { row: row.clone(), used_us });
    Ok(row)
}

/// See [`crate::Store::waiting`].
pub(super) fn waiting(model: &Model, queue: &str, max: u32) -> u32 {
    let waits = |run: &&Run| run.state == RunState::Queued && queue_of(&run.queue) == queue;
    u32::try_from(model.live.iter().filter(waits).count()).unwrap_or(max).min(max)
}

/// Claims from one queue after the other, or from all of them at once: of each namespace that has runs there evenly.
pub(super) fn claim(
    model: &mut Model,
    owner: u32,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
    turn: u64,
) -> Vec<ClaimedRun> {
    let is_ruled = model.queues.values().any(|line| line.row.rule.is_set());
    if !is_ruled && !model.live.has_shared() {
        return take(model, owner, limit, at, |live| live.next_queued(queues));
    }
    let mut claimed: Vec<ClaimedRun> = Vec::new();
    for shares in steps(&model.live, queues, is_ruled) {
        let mut left = limit.saturating_sub(count(&claimed));
        if let Queues::Named(_) = queues {
            let queue = shares.iter().flatten().flatten().next().map(|line| queue_of(line));
            left = left.min(queue.map_or(u32::MAX, |queue| room(model, queue, at)));
        }
        let take = |who: usize, share| {
            let before = count(&claimed);
            for line in &shares[who] {
                let left = share - (count(&claimed) - before);
                claimed.extend(claim_line(model, owner, line.as_deref(), left, at));
            }
            Ok::<_, Infallible>(count(&claimed) - before)
        };
        let Ok(()) = share_out(left, shares.len(), turn, take);
    }
    claimed
}

/// Where a namespace's runs wait, the first first. Nothing stands for all queues together.
type Share = Vec<Option<Arc<str>>>;

/// The namespaces that share what is claimed: of one queue after the other, or of all at once.
fn steps(live: &Live, queues: &Queues, is_ruled: bool) -> Vec<Vec<Share>> {
    let lines: Vec<Arc<str>> = live.queues_by_head().collect();
    let mut shared: BTreeMap<&str, Share> = BTreeMap::new();
    for line in &lines {
        if let Some(namespace) = namespace_of(line) {
            shared.entry(namespace).or_default().push(Some(Arc::clone(line)));
        }
    }
    let plain: Share = lines.iter().filter(|line| is_plain(line)).cloned().map(Some).collect();
    let has_plain = !plain.is_empty();
    let Queues::Named(queues) = queues else {
        let plain = if is_ruled { plain } else { vec![None] };
        return vec![has_plain.then_some(plain).into_iter().chain(shared.into_values()).collect()];
    };
    let of = |queue: &Arc<str>| {
        let mut others: Vec<Arc<str>> = shared.values().flatten().flatten().cloned().collect();
        others.retain(|line| queue_of(line) == &**queue);
        others.sort_unstable();
        let itself = Some(Arc::clone(queue)).filter(|queue| has_plain || !is_plain(queue));
        itself.into_iter().chain(others).map(|line| vec![Some(line)]).collect()
    };
    queues.iter().map(of).collect()
}

fn claim_line(model: &mut Model, owner: u32, line: Option<&str>, limit: u32, at: Timestamp) -> Vec<ClaimedRun> {
    let Some(line) = line else { return take(model, owner, limit, at, |live| live.next_queued(&Queues::All)) };
    let queue = queue_of(line);
    let room = room(model, queue, at).min(limit);
    let taken = take(model, owner, room, at, |live| live.first_of(line));
    if let Some(set) = model.queues.get_mut(queue) {
        set.used_us = set.row.rule.used_us(count(&taken), set.used_us, at);
    }
    taken
}

/// How many runs may leave a queue.
fn room(model: &Model, queue: &str, at: Timestamp) -> u32 {
    let Some(set) = model.queues.get(queue).filter(|set| set.row.rule.is_set()) else { return u32::MAX };
    let is_running = |run: &&Run| run.state == RunState::Running && queue_of(&run.queue) == queue;
    let running = model.live.iter().filter(is_running).count();
    set.row.rule.room(u32::try_from(running).unwrap_or(u32::MAX), set.used_us, at)
}

fn count(runs: &[ClaimedRun]) -> u32 {
    u32::try_from(runs.len()).unwrap_or(u32::MAX)
}
