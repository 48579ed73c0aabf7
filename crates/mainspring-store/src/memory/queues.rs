//! What is set for queues, and how runs leave those for which something is.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::queue::QueueRule;
use mainspring_core::routing::{is_routed, queue_of};
use mainspring_core::run::RunState;

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

/// Claims where something is set for some queues; nothing where nothing is.
pub(super) fn claim(
    model: &mut Model,
    owner: u32,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
) -> Option<Vec<ClaimedRun>> {
    if !model.queues.values().any(|line| line.row.rule.is_set()) {
        return None;
    }
    let wanted: Vec<Arc<str>> = match queues {
        Queues::Named(queues) => queues.to_vec(),
        Queues::All => model.live.queues_by_head().filter(|line| !is_routed(line)).collect(),
    };
    let mut claimed: Vec<ClaimedRun> = Vec::new();
    for line in wanted {
        let queue = queue_of(&line);
        let left = limit.saturating_sub(u32::try_from(claimed.len()).unwrap_or(u32::MAX));
        let set = model.queues.get(queue).map(|set| (set.row.rule, set.used_us));
        let (rule, used_us) = set.unwrap_or_default();
        let running =
            model.live.iter().filter(|run| run.state == RunState::Running && queue_of(&run.queue) == queue).count();
        let room = rule.room(u32::try_from(running).unwrap_or(u32::MAX), used_us, at).min(left);
        let taken = take(model, owner, room, at, |live| live.first_of(&line));
        if let Some(set) = model.queues.get_mut(queue) {
            set.used_us = rule.used_us(u32::try_from(taken.len()).unwrap_or(u32::MAX), used_us, at);
        }
        claimed.extend(taken);
    }
    Some(claimed)
}
