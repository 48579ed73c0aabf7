//! What is set for queues, and how runs leave those for which something is.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::line::{LabelTag, Line};
use mainspring_core::queue::{QueueRule, label_of, place, priority_before, priority_behind, share_out};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp};

use super::live::{Live, Run};
use super::model::Model;
use super::queue::take;
use super::workflow::NOBODY;
use crate::error::{Error, Result};
use crate::row::{LineWaits, Moving, PlaceChange, Placing, QueueMove, QueueRow};

/// A queue for which something is set.
#[derive(Clone, Debug)]
pub(super) struct QueueState {
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
    model.queues.insert(name.to_owned(), QueueState { row: row.clone(), used_us });
    Ok(row)
}

/// See [`crate::Store::waiting`].
pub(super) fn waiting(model: &Model, queue: &str, max: u32) -> u32 {
    let waits = |run: &&Run| run.state == RunState::Queued && Line::parse(&run.queue).queue() == queue;
    u32::try_from(model.live.iter().filter(waits).count()).unwrap_or(max).min(max)
}

/// See [`crate::Store::queue_lines`].
pub(super) fn queue_lines(model: &Model, queue: &str, first: u32, max: u32) -> Vec<LineWaits> {
    let mut lines = BTreeMap::<&str, Vec<(i64, Timestamp, RunId)>>::new();
    for run in model.live.iter().filter(|run| run.state == RunState::Queued) {
        let line = Line::parse(&run.queue);
        if line.queue() == queue && !line.is_of_workflows() {
            let place = (place(run.priority, run.due_at), run.due_at, run.id);
            lines.entry(&run.queue).or_default().push(place);
        }
    }
    let (mut waits, mut left) = (Vec::with_capacity(lines.len()), max);
    for (line, mut runs) in lines {
        if left == 0 {
            break;
        }
        let count = u32::try_from(runs.len()).unwrap_or(u32::MAX).min(left);
        left -= count;
        runs.sort_unstable();
        runs.truncate(first as usize);
        waits.push(LineWaits { line: line.to_owned(), count, first: runs });
    }
    waits
}

/// See [`crate::Store::move_queued`].
pub(super) fn move_queued(model: &mut Model, change: &QueueMove, limit: u32) -> Vec<RunId> {
    let is_asked = |run: &&Run| match change.which {
        Moving::All => true,
        Moving::Job(job) => run.job == job,
        Moving::Run(id) => run.id == id,
    };
    let is_there = |run: &&Run| {
        let line = Line::parse(&run.queue);
        run.state == RunState::Queued && line.queue() == change.from && !line.is_of_workflows()
    };
    let mut waiting: Vec<(i64, Timestamp, RunId)> = (model.live.iter().filter(is_there).filter(is_asked))
        .map(|run| (place(run.priority, run.due_at), run.due_at, run.id))
        .collect();
    waiting.sort_unstable();
    waiting.truncate(limit as usize);
    let moved: Vec<RunId> = waiting.into_iter().map(|(.., run)| run).collect();
    for run in &moved {
        model.live.update(*run, |run| {
            let to = Line::parse(&run.queue).in_queue(&change.to).map(|line| line.to_string());
            to.into_iter().for_each(|to| run.queue = to.as_str().into());
        });
    }
    if !moved.is_empty() {
        model.outbox.queued();
    }
    moved
}

/// See [`crate::Store::place_queued`].
pub(super) fn place_queued(model: &mut Model, queue: &str, id: RunId, to: Placing) -> Option<PlaceChange> {
    let waits = |run: &&Run| {
        let line = Line::parse(&run.queue);
        run.state == RunState::Queued && line.queue() == queue && !line.is_of_workflows()
    };
    let run = model.live.get(id).filter(waits)?;
    let (before, due_at) = (run.priority, run.due_at);
    let here = place(before, due_at);
    let others = model.live.iter().filter(waits).filter(|other| other.id != id);
    let others: Vec<i64> = others.map(|other| place(other.priority, other.due_at)).collect();
    let (first, last) = (others.iter().min().copied(), others.iter().max().copied());
    let after = match to {
        Placing::Priority(priority) => priority,
        Placing::First => first.filter(|first| here >= *first).map_or(before, |it| priority_before(due_at, it)),
        Placing::Last => last.filter(|last| here <= *last).map_or(before, |it| priority_behind(due_at, it)),
    };
    model.live.update(id, |run| run.priority = after);
    Some(PlaceChange { before, after })
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
    let set = || model.queues.values().filter(|line| line.row.rule.holds_back()).map(|line| &line.row.name);
    let is_ruled = set().any(|name| label_of(name).is_none());
    if set().next().is_none() && !model.live.has_shared() {
        return take(model, owner, limit, at, |live| live.next_queued(queues));
    }
    let mut claimed: Vec<ClaimedRun> = Vec::new();
    for shares in steps(&model.live, queues, is_ruled) {
        let mut left = limit.saturating_sub(count(&claimed));
        if let Queues::Named(_) = queues.of().1 {
            let queue = shares.iter().flatten().flatten().next().map(|line| Line::parse(line).queue());
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
    let (short, queues) = queues.of();
    let mut lines: Vec<Arc<str>> = live.queues_by_head().collect();
    lines.retain(|line| !(short && Line::parse(line).is_slow()));
    let has_plain = lines.iter().any(|line| Line::parse(line).is_plain());
    let Queues::Named(queues) = queues else {
        let is_beside_plain = |line: Line<'_>| line.is_beside() && line.sharer().is_empty();
        let has_beside = lines.iter().any(|line| is_beside_plain(Line::parse(line)));
        let is_whole = has_plain && !is_ruled && !has_beside;
        let is_single = |line: Line<'_>| line.is_beside() || line.is_plain() && !is_whole;
        let one_by_one = |line: &&Arc<str>| is_single(Line::parse(line));
        let shares = by_sharer(lines.iter().filter(one_by_one)).into_values();
        return vec![is_whole.then(|| vec![None]).into_iter().chain(shares).collect()];
    };
    let of = |queue: &Arc<str>| {
        let is_beside = |line: Line<'_>| line.is_beside() && line.queue() == &**queue;
        let is_of = |line: &&Arc<str>| *line == queue || is_beside(Line::parse(line));
        let mut shares = by_sharer(lines.iter().filter(is_of));
        if has_plain || !Line::parse(queue).is_plain() {
            shares.entry("").or_default();
        }
        shares.into_values().collect()
    };
    queues.iter().map(of).collect()
}

/// The lines of each who shares what is claimed.
fn by_sharer<'a>(lines: impl Iterator<Item = &'a Arc<str>>) -> BTreeMap<&'a str, Share> {
    let mut sharers: BTreeMap<&str, Share> = BTreeMap::new();
    lines.for_each(|line| sharers.entry(Line::parse(line).sharer()).or_default().push(Some(Arc::clone(line))));
    sharers
}

fn claim_line(model: &mut Model, owner: u32, line: Option<&str>, limit: u32, at: Timestamp) -> Vec<ClaimedRun> {
    let first = |live: &Live| match line {
        Some(line) => live.first_of(line),
        None => live.next_queued(&Queues::All),
    };
    let Some(queue) = line.map(|line| Line::parse(line).queue()) else {
        return claim_labelled(model, owner, limit, at, None, first);
    };
    let room = room(model, queue, at).min(limit);
    let taken = claim_labelled(model, owner, room, at, line, first);
    if let Some(set) = model.queues.get_mut(queue) {
        set.used_us = set.row.rule.used_us(count(&taken), set.used_us, at);
    }
    taken
}

/// Claims the first runs whose labels have room. Those that are before them go into lines of their labels.
fn claim_labelled(
    model: &mut Model,
    owner: u32,
    limit: u32,
    at: Timestamp,
    line: Option<&str>,
    first: impl Fn(&Live) -> Option<RunId>,
) -> Vec<ClaimedRun> {
    let mut labels = label_rooms(model, at);
    if labels.is_empty() {
        return take(model, owner, limit, at, first);
    }
    let tag = line.and_then(|line| Line::parse(line).label());
    let of_line = labels.iter().filter(|(label, _)| tag == Some(LabelTag::of(label)));
    let limit = of_line.map(|(_, room)| *room).fold(limit, u32::min);
    let mut taken = Vec::new();
    while count(&taken) < limit
        && let Some(id) = first(&model.live)
    {
        let has = labels_of(model, id, &labels);
        if let Some(full) = has.iter().find(|label| labels[*label] == 0) {
            if line.is_some_and(|line| Line::parse(line).is_routed()) {
                break;
            }
            model.live.update(id, |run| run.queue = Line::parse(&run.queue).labelled(full).to_string().into());
            continue;
        }
        for label in has {
            *labels.get_mut(&label).expect("it is one of them") -= 1;
        }
        taken.extend(take(model, owner, 1, at, &first));
    }
    taken
}

/// How many more runs each label that is limited has room for.
fn label_rooms(model: &Model, at: Timestamp) -> BTreeMap<String, u32> {
    let set = model.queues.values().filter(|set| set.row.rule.is_set());
    let labels = set.filter(|set| label_of(&set.row.name).is_some());
    labels
        .map(|set| (set.row.name.clone(), set.row.rule.room(counted(model, &set.row.name), set.used_us, at)))
        .collect()
}

/// Which of some labels a run has.
fn labels_of(model: &Model, id: RunId, among: &BTreeMap<String, u32>) -> Vec<String> {
    let Some(run) = model.live.get(id) else { return Vec::new() };
    among.keys().filter(|label| has_label(model, run, label)).cloned().collect()
}

fn has_label(model: &Model, run: &Run, label: &str) -> bool {
    let has = |(name, value)| model.jobs.get(run.job.0)?.label(run.job_version, name).filter(|has| *has == value);
    label_of(label).and_then(has).is_some()
}

/// How many executed runs count in a limit.
fn counted(model: &Model, limited: &str) -> u32 {
    u32::try_from(holders(model, limited).len()).unwrap_or(u32::MAX)
}

/// See [`crate::Store::holders`].
pub(super) fn holders(model: &Model, limited: &str) -> Vec<RunId> {
    let counts = |run: &&Run| match label_of(limited) {
        None => Line::parse(&run.queue).queue() == limited,
        Some(_) => has_label(model, run, limited),
    };
    let running = model.live.iter().filter(|run| run.state == RunState::Running && run.owner != NOBODY);
    let mut holders: Vec<RunId> = running.filter(counts).map(|run| run.id).collect();
    holders.sort_unstable();
    holders
}

/// How many runs may leave a queue.
fn room(model: &Model, queue: &str, at: Timestamp) -> u32 {
    let Some(set) = model.queues.get(queue).filter(|set| set.row.rule.is_set()) else { return u32::MAX };
    set.row.rule.room(counted(model, queue), set.used_us, at)
}

fn count(runs: &[ClaimedRun]) -> u32 {
    u32::try_from(runs.len()).unwrap_or(u32::MAX)
}
