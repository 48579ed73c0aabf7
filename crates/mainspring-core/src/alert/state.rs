//! What is known of a job for its alerts, and how it changes.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Condition, Ended, Event, Notice, Target, Want, Wants, Why};

/// Runs that are watched at a time: of more, the oldest are.
const WATCHED_MAX: usize = 1_000;

/// What is known of a job. The default is that of a job with which nothing is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Runs that have failed since one succeeded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_in_row: u32,
    /// Runs that wait to be started, and when they were due.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waiting: BTreeMap<String, Timestamp>,
    /// Runs that were started, and when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub running: BTreeMap<String, Timestamp>,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub open: BTreeMap<Condition, Open>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Something that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Open {
    /// Since when.
    pub since: Timestamp,
    /// The run with which it was last noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// When that was.
    pub last_at: Timestamp,
    /// How often it was noticed: runs, or fire times that were missed.
    pub count: u64,
    /// Runs that must start or end before it is over, where the time decides.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub runs: BTreeSet<String>,
    /// When somebody was told last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_at: Option<Timestamp>,
    /// Who was told.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub told: BTreeSet<Target>,
}

impl Open {
    fn new(at: Timestamp) -> Self {
        let runs = BTreeSet::new();
        Self { since: at, run: None, last_at: at, count: 0, runs, told_at: None, told: BTreeSet::new() }
    }

    fn notice(&mut self, run: Option<&str>, count: u64, at: Timestamp) {
        self.run = run.map(str::to_owned).or(self.run.take());
        self.last_at = at;
        self.count = self.count.saturating_add(count);
    }
}

/// How something is told.
struct Telling<'a> {
    wants: &'a Wants,
    is_silenced: bool,
    at: Timestamp,
    notices: Vec<Notice>,
}

impl State {
    /// Whether there is nothing to remember.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Takes an event in, and returns what to tell. Nobody is told of anything that begins while the job is silenced.
    pub fn on(&mut self, event: &Event, at: Timestamp, wants: &Wants, is_silenced: bool) -> Vec<Notice> {
        self.forget_unwanted(wants);
        let mut telling = Telling { wants, is_silenced, at, notices: Vec::new() };
        match event {
            Event::Waits { run, due_at } => self.waits(run, *due_at, wants),
            Event::Rests { run } => {
                self.waiting.remove(run);
                self.running.remove(run);
                self.settle(Condition::is_timed, run, &mut telling);
            }
            Event::Started { run, due_at } => self.started(run, *due_at, &mut telling),
            Event::Ended { run, how } => self.ended(run, *how, &mut telling),
            Event::Misfired { count } => self.note(Condition::Misfired, None, *count, &mut telling),
            Event::DeadlineMissed { run } => self.note(Condition::DeadlineMissed, Some(run), 1, &mut telling),
        }
        self.tell(&mut telling);
        telling.notices
    }

    /// Looks at the time: finds runs that are late or take long, tells what was silenced, and reminds.
    pub fn tick(&mut self, now: Timestamp, wants: &Wants, is_silenced: bool) -> Vec<Notice> {
        self.forget_unwanted(wants);
        let mut telling = Telling { wants, is_silenced, at: now, notices: Vec::new() };
        for condition in wants.keys() {
            let (runs, limit_ms) = match condition {
                Condition::Late(ms) => (&self.waiting, *ms),
                Condition::RunsLonger(ms) => (&self.running, *ms),
                _ => continue,
            };
            let over: Vec<String> =
                runs.iter().filter(|(_, since)| now.since(**since) >= limit_ms).map(|(run, _)| run.clone()).collect();
            for run in over {
                let open = self.open.entry(*condition).or_insert_with(|| Open::new(now));
                if open.runs.insert(run.clone()) {
                    open.notice(Some(&run), 1, now);
                }
            }
        }
        self.tell(&mut telling);
        telling.notices
    }

    /// When [`State::tick`] may find something next, if nothing happens until then. Not for a job that is silenced.
    #[must_use]
    pub fn next_at(&self, wants: &Wants) -> Option<Timestamp> {
        let timed = wants.keys().filter_map(|condition| {
            let (runs, ms) = match condition {
                Condition::Late(ms) => (&self.waiting, *ms),
                Condition::RunsLonger(ms) => (&self.running, *ms),
                _ => return None,
            };
            let known = self.open.get(condition).map(|open| &open.runs);
            let new = runs.iter().filter(|(run, _)| known.is_none_or(|known| !known.contains(*run)));
            new.map(|(_, since)| *since + ms).min()
        });
        let open = self.open.iter().filter_map(|(condition, open)| {
            let told_at = open.told_at.unwrap_or(open.since);
            match open.told_at {
                Some(_) => wants.get(condition)?.repeat_ms.map(|ms| told_at + ms),
                None => Some(told_at),
            }
        });
        timed.chain(open).min()
    }

    /// What nobody wants to know any more is over, and nobody is told.
    fn forget_unwanted(&mut self, wants: &Wants) {
        self.open.retain(|condition, _| wants.contains_key(condition));
        if !wants.keys().any(|condition| matches!(condition, Condition::Late(_))) {
            self.waiting.clear();
        }
        if !wants.keys().any(|condition| matches!(condition, Condition::RunsLonger(_))) {
            self.running.clear();
        }
        let counts = |condition: &Condition| matches!(condition, Condition::Failed | Condition::FailedInRow(_));
        if !wants.keys().any(counts) {
            self.failed_in_row = 0;
        }
    }

    fn waits(&mut self, run: &str, due_at: Timestamp, wants: &Wants) {
        let is_wanted = wants.keys().any(|condition| matches!(condition, Condition::Late(_)));
        // An attempt that follows another one was started before.
        if is_wanted && self.waiting.len() < WATCHED_MAX && !self.running.contains_key(run) {
            self.waiting.entry(run.to_owned()).or_insert(due_at);
        }
    }

    fn started(&mut self, run: &str, due_at: Timestamp, telling: &mut Telling<'_>) {
        let due_at = self.waiting.remove(run).map_or(due_at, |waited| waited.min(due_at));
        let is_first = !self.running.contains_key(run);
        for condition in telling.wants.keys().copied() {
            match condition {
                Condition::Late(ms) if is_first && telling.at.since(due_at) >= ms => {
                    self.note_late(condition, run, telling)
                }
                Condition::RunsLonger(_) if self.running.len() < WATCHED_MAX => {
                    self.running.entry(run.to_owned()).or_insert(telling.at);
                }
                _ => {}
            }
        }
        self.settle(|condition| matches!(condition, Condition::Late(_)), run, telling);
    }

    fn ended(&mut self, run: &str, how: Ended, telling: &mut Telling<'_>) {
        self.waiting.remove(run);
        if let Some(since) = self.running.remove(run) {
            for condition in telling.wants.keys().copied() {
                if matches!(condition, Condition::RunsLonger(ms) if telling.at.since(since) >= ms) {
                    self.note_late(condition, run, telling);
                }
            }
        }
        self.settle(Condition::is_timed, run, telling);
        match how {
            Ended::Otherwise => {}
            Ended::Succeeded => {
                self.failed_in_row = 0;
                let over: Vec<_> = self.open.keys().copied().filter(|condition| !condition.is_timed()).collect();
                over.into_iter().for_each(|condition| self.close(condition, run, telling));
            }
            Ended::Failed => {
                let counts = |condition: &Condition| matches!(condition, Condition::Failed | Condition::FailedInRow(_));
                if !telling.wants.keys().any(counts) {
                    return;
                }
                self.failed_in_row = self.failed_in_row.saturating_add(1);
                for condition in telling.wants.keys().copied() {
                    match condition {
                        Condition::Failed => self.note(condition, Some(run), 1, telling),
                        Condition::FailedInRow(most) if self.failed_in_row >= most.max(1) => {
                            let count =
                                if self.open.contains_key(&condition) { 1 } else { u64::from(self.failed_in_row) };
                            self.note(condition, Some(run), count, telling);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn note(&mut self, condition: Condition, run: Option<&str>, count: u64, telling: &mut Telling<'_>) {
        if telling.wants.contains_key(&condition) {
            self.open.entry(condition).or_insert_with(|| Open::new(telling.at)).notice(run, count, telling.at);
        }
    }

    /// Notes a run of which nobody saw that it was over the limit, until it was not any more. It is told, and over with that.
    fn note_late(&mut self, condition: Condition, run: &str, telling: &mut Telling<'_>) {
        if self.open.get(&condition).is_some_and(|open| open.runs.contains(run)) {
            return;
        }
        match self.open.get_mut(&condition) {
            Some(open) => open.notice(Some(run), 1, telling.at),
            None => {
                let mut open = Open::new(telling.at);
                open.notice(Some(run), 1, telling.at);
                if !telling.is_silenced
                    && let Some(want) = telling.wants.get(&condition)
                {
                    telling.push(condition, Why::Opened, &open, Some(run), want.targets.clone());
                }
            }
        }
    }

    /// A run is not over the limit any more: it was started, or is over.
    fn settle(&mut self, which: impl Fn(Condition) -> bool, run: &str, telling: &mut Telling<'_>) {
        let of: Vec<_> = self.open.keys().copied().filter(|condition| which(*condition)).collect();
        for condition in of {
            let Some(open) = self.open.get_mut(&condition) else { continue };
            if open.runs.remove(run) && open.runs.is_empty() {
                self.close(condition, run, telling);
            }
        }
    }

    /// Something is over. Whoever was told of it is told so, also while the job is silenced.
    fn close(&mut self, condition: Condition, run: &str, telling: &mut Telling<'_>) {
        let Some(open) = self.open.remove(&condition) else { return };
        let wants_it = telling.wants.get(&condition).is_some_and(|want| want.recovered);
        if open.told_at.is_some() && wants_it {
            let told = open.told.clone();
            telling.push(condition, Why::Recovered, &open, Some(run), told);
        }
    }

    /// Tells what nobody was told of, and what is to be told again.
    fn tell(&mut self, telling: &mut Telling<'_>) {
        if telling.is_silenced {
            return;
        }
        let wants = telling.wants;
        for (condition, open) in &mut self.open {
            let Some(want) = wants.get(condition) else { continue };
            let Some(why) = due(open, want, telling.at) else { continue };
            open.told_at = Some(telling.at);
            open.told.extend(want.targets.iter().cloned());
            let run = open.run.clone();
            telling.push(*condition, why, open, run.as_deref(), want.targets.clone());
        }
    }
}

fn due(open: &Open, want: &Want, at: Timestamp) -> Option<Why> {
    match (open.told_at, want.repeat_ms) {
        (None, _) => Some(Why::Opened),
        (Some(told_at), Some(ms)) if at.since(told_at) >= ms => Some(Why::Reminder),
        _ => None,
    }
}

impl Telling<'_> {
    fn push(&mut self, condition: Condition, why: Why, open: &Open, run: Option<&str>, targets: BTreeSet<Target>) {
        let (open, run, at) = (open.clone(), run.map(str::to_owned), self.at);
        self.notices.push(Notice { condition, why, open, run, targets, at });
    }
}
