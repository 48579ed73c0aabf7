//! What workers say of their runs: ends of attempts.

use super::*;

impl World {
    pub(super) fn reported(&mut self, node: usize, number: u64, worker: Incarnation, ends: &[WorkerEnd]) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        if !is_fresh(now_ms, desk.counted_ms) {
            return self.finish(node, number, Err(Trouble::Passing));
        }
        let Some(talk) = desk.sessions.get_mut(&worker) else {
            return self.ask_for_desk(node, DeskCall::ReportInfo(number), Verb::WorkerInfo(worker));
        };
        talk.session.hear(now_ms);
        let knows = |end: &WorkerEnd| key_of(end).is_some_and(|(run, attempt)| talk.session.has(run, attempt));
        if ends.iter().all(knows) {
            return self.record_ends(node, number, &[]);
        }
        self.ask_for_desk(node, DeskCall::ReportHeld(number), Verb::HeldBy(worker));
    }

    /// Hands the ends of a report on; `held` are attempts that the store says the worker has.
    pub(super) fn record_ends(&mut self, node: usize, number: u64, held: &[LiveRun]) {
        let Some(open) = self.nodes[node].desk.requests.get(&number) else { return };
        let Ask::Report(worker, reported) = open.request.ask.clone() else { return };
        let (mut left, mut ends) = (BTreeSet::new(), Vec::new());
        for end in reported {
            let Some(attempt) = key_of(&end) else { continue };
            // What the worker does not have is refused, and that is all.
            let Some(given) = self.given(node, worker, attempt, held) else { continue };
            let desk = &mut self.nodes[node].desk;
            let others = desk.waiting.entry(attempt).or_default();
            // Whoever reports again waits for what is under way.
            others.retain(|other| desk.requests.contains_key(other));
            others.push(number);
            left.insert(attempt);
            if others.len() == 1 {
                ends.push(self.remote_end(node, worker, given, &end));
            }
        }
        if left.is_empty() {
            return self.finish(node, number, Ok(Response::Receipt));
        }
        self.stage(node, number, Stage::Recording(left));
        self.tick_desk(node, PATIENCE_MS, DeskTick::Over(number));
        if !ends.is_empty() {
            self.nodes[node].desk.ends.extend(ends);
            self.rouse(node);
        }
    }

    fn given(&mut self, node: usize, worker: Incarnation, attempt: (RunId, u32), held: &[LiveRun]) -> Option<Given> {
        let talk = self.nodes[node].desk.sessions.get(&worker);
        let known = talk.filter(|talk| talk.session.has(attempt.0, attempt.1));
        if let Some(given) = known.and_then(|talk| talk.runs.get(&attempt.0)) {
            return Some(given.clone());
        }
        let live = held.iter().find(|live| (live.claimed.run, live.claimed.attempt) == attempt)?;
        Some(self.prepared(live))
    }

    pub(super) fn prepared(&mut self, live: &LiveRun) -> Given {
        let claimed_at = live.claimed_at.unwrap_or(live.claimed.due_at);
        let mut start = Start::from(live.claimed.clone());
        start.awaited_by = self.awaiting(&start);
        let definition = self.definition(&start);
        Given { start, definition, claimed_at }
    }

    fn remote_end(&self, node: usize, worker: Incarnation, given: Given, end: &WorkerEnd) -> AttemptEnd {
        let now = self.record_time(node);
        let ours =
            |at: mainspring_api::Timestamp| Timestamp::from_millis(at.as_millis()).min(now).max(given.claimed_at);
        AttemptEnd {
            held_by: Some(worker),
            outcome: outcome_of(end.outcome),
            vetoed: false,
            started_at: end.started_at.map(ours),
            ended_at: ours(end.ended_at),
            detail: None,
            start: given.start,
            definition: given.definition,
        }
    }

    /// Ends of a batch are recorded, or refused: whoever reported them hears so.
    pub(in crate::node) fn recorded(&mut self, node: usize, batch: &CompletionBatch) {
        for entry in &batch.entries {
            let Some(holder) = entry.held_by else { continue };
            let attempt = (entry.run, entry.attempt);
            let desk = &mut self.nodes[node].desk;
            if let Some(talk) = desk.sessions.get_mut(&holder) {
                if talk.session.take(entry.run, entry.attempt) {
                    talk.runs.remove(&entry.run);
                }
                self.tick_desk(node, 0, DeskTick::Look(holder));
            }
            let waiting = self.nodes[node].desk.waiting.remove(&attempt).unwrap_or_default();
            waiting.into_iter().for_each(|number| self.one_recorded(node, number, attempt));
        }
    }

    fn one_recorded(&mut self, node: usize, number: u64, attempt: (RunId, u32)) {
        let Some(open) = self.nodes[node].desk.requests.get_mut(&number) else { return };
        let Stage::Recording(left) = &mut open.stage else { return };
        left.remove(&attempt);
        if left.is_empty() {
            self.finish(node, number, Ok(Response::Receipt));
        }
    }
}
