//! A trigger's definition, compiled: what the planner asks when something is due.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mainspring_schedule::{MisfirePolicy, Missed, MissedReason, Timestamp, Trigger, TriggerState, TzdataVersion};

use crate::batch::{Gap, GapOutcome, GapReason, NewRun, Progress, Rearm, TriggerStatus};
use crate::id::{JobId, JobVersion, RunId, RunSource, TriggerId, jitter_of};
use crate::job::{GateRule, Job, Overlap};
use crate::run::Origin;

/// From this lateness on, counted from when it was due, what is late is spread anew: a loaded server is not late by so much.
const SPREAD_AFTER_MS: i64 = 2_000;

/// A compiled trigger with what the planner needs of its job. Shared between versions of nothing: immutable.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Which instants.
    pub trigger: Trigger,
    /// Largest spread of fires.
    pub jitter_ms: i64,
    /// When a fire time counts as missed.
    pub misfire_threshold_ms: i64,
    /// Priority of the runs.
    pub priority: i32,
    /// The job's limit.
    pub gate: Option<GateRule>,
    /// The delay after the end of a run, for `delay` triggers.
    pub delay_ms: Option<i64>,
    /// The line in which its runs wait.
    pub queue: Arc<str>,
    /// JSON that the trigger gives to its runs.
    pub input: Option<Arc<str>>,
    /// What its runs execute.
    pub definition: Arc<Job>,
    /// The release of the tz database that it reads its instants from; absent if they depend on none.
    pub tzdata: Option<TzdataVersion>,
}

/// Does `work` of one trigger, and says why if it panics: a fault in the rule of one must not stop the others.
///
/// # Errors
/// The text of the panic.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        text.unwrap_or("without a message").to_owned()
    })
}

/// What a trigger does at an instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Runs to create, in order of fire time. None of them is claimed yet.
    pub runs: Vec<NewRun>,
    /// Instants to record as missed.
    pub gaps: Vec<Gap>,
    /// Where the trigger stands afterwards.
    pub progress: Progress,
}

impl Rule {
    /// When the trigger is due that fires at `fire_time`.
    #[must_use]
    pub fn due_at(&self, id: TriggerId, fire_time: Timestamp) -> Timestamp {
        fire_time + jitter_of(id, fire_time, self.jitter_ms)
    }

    /// The limit as this trigger meets it: a `delay` trigger waits for its slot, since a suppressed run would never end
    /// and so never start the next delay.
    #[must_use]
    pub fn gate(&self) -> Option<GateRule> {
        match self.delay_ms {
            Some(_) => self.gate.map(|gate| GateRule { overlap: Overlap::Hold, ..gate }),
            None => self.gate,
        }
    }

    /// The last instant of the schedule before another one, whether or not it fired.
    #[must_use]
    pub fn previous_fire(&self, progress: &Progress, before: Timestamp) -> Option<Timestamp> {
        // A rule that cannot be evaluated is found out when it is due.
        guarded(|| self.trigger.previous_before(&state_of(progress), before)).ok().flatten()
    }

    /// Decides what fires at `now`, and what was missed. Nothing, if the next instant is not due.
    ///
    /// A next instant that another release of the tz database has moved goes where that says first; nothing fires with it.
    ///
    /// Bounded in time, however many instants have passed: at most `catch_up_max` runs come back, the rest is a range.
    #[must_use]
    pub fn decide(&self, id: TriggerId, progress: &Progress, now: Timestamp, catch_up_max: u32) -> Option<Decision> {
        let next = progress.next_fire_at?;
        let is_due = progress.due_at? <= now;
        if let Some(progress) = self.renew(id, progress, now).filter(|it| !is_due || it.next_fire_at != Some(next)) {
            return Some(Decision { runs: Vec::new(), gaps: Vec::new(), progress });
        }
        if !is_due {
            return None;
        }
        // Later instants must not fire before their own jitter has passed, whatever it is.
        let looked_at = now;
        let now = if self.jitter_ms > 0 { next.max(now - self.jitter_ms) } else { now };
        if let Some(due_at) = self.spread(id, progress, looked_at) {
            let progress = Progress { due_at: Some(due_at), ..*progress };
            return Some(Decision { runs: Vec::new(), gaps: Vec::new(), progress });
        }
        let mut state = state_of(progress);
        let mut decision = Decision { runs: Vec::new(), gaps: Vec::new(), progress: *progress };
        let in_time = now.since(next) <= self.misfire_threshold_ms || self.ignores_misfires() && self.one_at_a_time();
        if in_time && self.single(&mut state, now) {
            decision.runs.push(self.run(id, next, 1));
        } else {
            let due = self.trigger.due(&state_of(progress), now, self.misfire_threshold_ms, catch_up_max);
            decision.runs.extend(due.fires.iter().map(|fire| self.run(id, fire.fire_time, fire.stands_for)));
            decision.gaps.extend(due.missed.iter().map(gap));
            state = due.state;
        }
        self.settle(id, &mut decision, state);
        Some(decision)
    }

    /// When a trigger is to be decided that is late, as after an outage: its jitter later, so that many do not fire at once. Nothing,
    /// if that has been done. An instant that may still fire is not made a misfire by this.
    fn spread(&self, id: TriggerId, progress: &Progress, now: Timestamp) -> Option<Timestamp> {
        let next = progress.next_fire_at?;
        let due_at = self.due_at(id, next);
        let is_new = progress.due_at == Some(due_at);
        if self.jitter_ms == 0 || now.since(due_at) <= SPREAD_AFTER_MS || !is_new || self.one_at_a_time() {
            return None;
        }
        let late_ms = now.since(next) - self.jitter_ms;
        let left_ms = self.misfire_threshold_ms - late_ms;
        let mut most_ms = if left_ms >= 0 { self.jitter_ms.min(left_ms) } else { self.jitter_ms };
        if late_ms <= SPREAD_AFTER_MS {
            // The instants that follow fire one by one, each when its own jitter has passed. With more than their distance for each,
            // a trigger would fall behind.
            let following = self.next_after(&state_of(progress), next);
            most_ms = following.map_or(most_ms, |following| most_ms.min(following.since(next)));
        }
        Some(now + jitter_of(id, next, most_ms)).filter(|due_at| *due_at > now && *due_at != self.due_at(id, next))
    }

    /// Where a trigger stands whose next instant was computed with an older release of the tz database, by this one: at the
    /// first instant that is not accounted for. Nothing, if it was not.
    ///
    /// What has passed meanwhile is late then, and judged like anything late. A next instant of a later release stays.
    #[must_use]
    pub fn renew(&self, id: TriggerId, progress: &Progress, now: Timestamp) -> Option<Progress> {
        let is_outdated = match self.tzdata {
            Some(_) => progress.tzdata < self.tzdata,
            None => progress.tzdata.is_some(),
        };
        let next = progress.next_fire_at.filter(|_| is_outdated)?;
        let anew = if self.tzdata.is_some() { self.computed_anew(progress, next, now) } else { Some(next) };
        let mut renewed = *progress;
        self.set_next(id, &mut renewed, anew);
        Some(renewed)
    }

    fn computed_anew(&self, progress: &Progress, next: Timestamp, now: Timestamp) -> Option<Timestamp> {
        // The instant after which a delay is over does not move, but perhaps the calendar excludes it now.
        if self.delay_ms.is_some() {
            return self.next_after(&state_of(progress), next - 1);
        }
        let accounted = progress.fired_through.max(progress.previous_fire_at);
        // Where no release is known, it is not known either whether edits have moved `fired_through`.
        let is_exact = progress.tzdata.is_some_and(|tzdata| tzdata > TzdataVersion::UNKNOWN);
        let settled = (!is_exact || accounted.is_none()).then(|| now.min(next - 1));
        let after = accounted.max(settled)?;
        let first = self.trigger.first_fire().next_fire_at;
        match first.filter(|first| progress.previous_fire_at.is_none() && *first > after) {
            Some(first) => Some(first),
            None => self.next_after(&state_of(progress), after),
        }
    }

    /// When to look at a trigger: when it is due, or at once if its next instant has moved.
    #[must_use]
    pub fn look_at(&self, id: TriggerId, progress: &Progress, now: Timestamp) -> Option<Timestamp> {
        let due_at = progress.due_at?;
        // One that cannot be evaluated is found out when it is due.
        let renewed = guarded(|| self.renew(id, progress, now)).ok().flatten();
        let moves = renewed.is_some_and(|renewed| renewed.next_fire_at != progress.next_fire_at);
        Some(if moves { due_at.min(now) } else { due_at })
    }

    /// Where a trigger stands that starts now, or goes on after an edit or a pause.
    ///
    /// Its next fire lies after `after` (the later of now and `fired_through`), and nothing before that ever fires; for a new
    /// trigger, pass the instant before its start, so that the first instant counts.
    #[must_use]
    pub fn begin(&self, id: TriggerId, after: Timestamp) -> Progress {
        let mut state = self.trigger.first_fire();
        if state.next_fire_at.is_some_and(|first| first <= after) {
            state.next_fire_at = self.next_after(&state, after);
        }
        let mut progress = Progress {
            next_fire_at: None,
            due_at: None,
            previous_fire_at: None,
            start_at: state.start_at,
            repeat_count: state.repeat_count,
            times_triggered: 0,
            fired_through: Some(after),
            status: TriggerStatus::Active,
            awaiting_run: None,
            tzdata: self.tzdata,
        };
        self.take(id, &mut progress, state);
        progress
    }

    /// The first instant after `after`. A delay has none of its own: it may fire at any that its calendar includes.
    pub(crate) fn next_after(&self, state: &TriggerState, after: Timestamp) -> Option<Timestamp> {
        match self.delay_ms {
            Some(delay_ms) => self.trigger.delayed_from(after + 1 - delay_ms),
            None => self.trigger.next_after(state, after),
        }
    }

    /// Where a `delay` trigger goes whose run, fired for `fire_time`, ended at `ended_at`. None for the other kinds.
    #[must_use]
    pub fn rearm(&self, id: TriggerId, fire_time: Timestamp, ended_at: Timestamp) -> Option<Rearm> {
        let delay_ms = self.delay_ms?;
        // Never the same instant again: its run has been.
        let least_ms = 1 - delay_ms.min(1);
        let next_fire_at = self.trigger.delayed_from(ended_at.max(fire_time) + least_ms);
        let due_at = next_fire_at.map(|next| self.due_at(id, next));
        Some(Rearm { trigger: id, next_fire_at, due_at, tzdata: self.tzdata })
    }

    /// The coming instants from where the trigger stands, up to `until`.
    pub fn fires_from(&self, progress: &Progress, until: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        let state = state_of(progress);
        let next = move |at: &Timestamp| self.trigger.next_after(&state, *at);
        std::iter::successors(progress.next_fire_at, next).take_while(move |at| *at <= until)
    }

    /// Where the trigger stands after its calendar was replaced, by Quartz's rule (`updateWithNewCalendar`).
    #[must_use]
    pub fn after_calendar_change(
        &self,
        id: TriggerId,
        progress: &Progress,
        now: Timestamp,
        misfire_threshold_ms: i64,
    ) -> Progress {
        let mut changed = *progress;
        let mut state = self.trigger.replace_calendar(&state_of(progress), now, misfire_threshold_ms);
        if let (Some(through), Some(next)) = (progress.fired_through, state.next_fire_at)
            && next <= through
        {
            // Accounted for already, by a gap: Quartz's search knows only of fires.
            state.next_fire_at = self.trigger.next_after(&state, through);
        }
        // What the search has passed over is settled.
        let passed = state.next_fire_at.map(|next| now.min(next - 1));
        changed.fired_through = changed.fired_through.max(passed);
        self.take(id, &mut changed, state);
        changed
    }

    /// Advances by one instant, if that suffices to be up to date: the common case, without any list.
    fn single(&self, state: &mut TriggerState, now: Timestamp) -> bool {
        self.trigger.triggered(state);
        self.one_at_a_time() || state.next_fire_at.is_none_or(|next| next > now)
    }

    /// Whether the next instant has to wait for a slot anyway, and is judged when it gets one.
    fn one_at_a_time(&self) -> bool {
        self.delay_ms.is_some() || self.gate.is_some_and(|gate| gate.overlap == Overlap::Hold)
    }

    fn ignores_misfires(&self) -> bool {
        self.trigger.misfire == MisfirePolicy::Ignore
    }

    fn run(&self, id: TriggerId, fire_time: Timestamp, stands_for: u64) -> NewRun {
        NewRun {
            id: RunId::new(fire_time, RunSource::Fire(id)),
            fire_time,
            due_at: self.due_at(id, fire_time),
            origin: if stands_for > 1 { Origin::Misfire } else { Origin::Schedule },
            claim: false,
        }
    }

    fn settle(&self, id: TriggerId, decision: &mut Decision, mut state: TriggerState) {
        let progress = &mut decision.progress;
        let last_run = decision.runs.last();
        let through = last_run.map(|run| run.fire_time).into_iter().chain(decision.gaps.iter().map(|gap| gap.last));
        progress.fired_through = progress.fired_through.into_iter().chain(through).max();
        if let (Some(_), Some(run)) = (self.delay_ms, last_run) {
            state.next_fire_at = None;
            progress.awaiting_run = Some(run.id);
        }
        self.take(id, progress, state);
    }

    fn take(&self, id: TriggerId, progress: &mut Progress, state: TriggerState) {
        progress.previous_fire_at = state.previous_fire_at;
        progress.start_at = state.start_at;
        progress.repeat_count = state.repeat_count;
        progress.times_triggered = state.times_triggered;
        self.set_next(id, progress, state.next_fire_at);
    }

    /// Sets the next instant. Without one, a trigger that awaits no run is complete.
    pub(crate) fn set_next(&self, id: TriggerId, progress: &mut Progress, next: Option<Timestamp>) {
        progress.next_fire_at = next;
        progress.due_at = next.map(|next| self.due_at(id, next));
        progress.tzdata = self.tzdata;
        let waits = next.is_some() || progress.awaiting_run.is_some();
        progress.status = if waits { TriggerStatus::Active } else { TriggerStatus::Complete };
    }
}

pub(crate) fn state_of(progress: &Progress) -> TriggerState {
    TriggerState {
        next_fire_at: progress.next_fire_at,
        previous_fire_at: progress.previous_fire_at,
        start_at: progress.start_at,
        repeat_count: progress.repeat_count,
        times_triggered: progress.times_triggered,
    }
}

fn gap(missed: &Missed) -> Gap {
    Gap {
        first: missed.first,
        last: missed.last,
        count: missed.count,
        outcome: GapOutcome::Missed,
        reason: match missed.reason {
            MissedReason::Misfire => GapReason::Misfire,
            MissedReason::CatchUpCap => GapReason::CatchUpCap,
        },
        policy: missed.policy.to_string(),
    }
}

/// A row of the window with its rule, as the shell hands it to the planner.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The row.
    pub row: crate::batch::TriggerRow,
    /// Its rule.
    pub rule: Arc<Rule>,
}

/// The run that a worker starts, with what its end needs.
#[derive(Clone, Debug)]
pub struct Start {
    /// The run.
    pub run: RunId,
    /// Its job.
    pub job: JobId,
    /// The version it runs.
    pub job_version: JobVersion,
    /// The trigger that fired, if one did.
    pub trigger: Option<TriggerId>,
    /// The instant it stands for.
    pub fire_time: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// Which attempt, counted from 1.
    pub attempt: u32,
    /// JSON given with the run.
    pub input: Option<String>,
    /// When the run's time is over, if that is limited and attempts have gone before.
    pub deadline: Option<Timestamp>,
    /// The rule of the `delay` trigger that awaits this run's end, if one does.
    pub awaited_by: Option<Arc<Rule>>,
    /// What it executes; if absent, the store knows.
    pub definition: Option<Arc<Job>>,
}
