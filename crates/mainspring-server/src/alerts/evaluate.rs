//! Reads events, and decides what to tell.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::alert::{Condition, Ended, Event, Notice, State, Target, Wants, Why};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::run::{Origin, RunState};
use mainspring_core::{JobId, RunId, Timestamp};
use mainspring_engine::Notice as Happened;
use mainspring_store::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE, Error, EventRow, Result, causes};
use rustc_hash::FxHashMap;
use serde_json::Value;
use tokio::sync::broadcast;
use tokio::time::{Interval, MissedTickBehavior, timeout};

use super::message::{self, Message, SINGLY_MAX};
use super::outbox::{self, Letter, OUTBOX};
use super::states::{self, Kept, STATE};
use super::{Book, PLACE, all};
use crate::app::App;
use crate::closing::closed;

/// A look follows another after this time, at the latest and at the earliest.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(250);
/// Rows of events that one look reads.
const ROWS_MAX: u32 = 200;
/// How far the place may stay behind, in rows of events, while nothing is to be kept.
const BEHIND_MAX: i64 = 1_000;
/// Jobs whose definitions are remembered.
const JOBS_MAX: usize = 100_000;

/// Evaluates until the server closes.
pub(super) async fn serve(app: App) {
    let mut closing = app.closing.clone();
    let mut desk = Desk::new(app);
    while !*closing.borrow() {
        let wait = match desk.look().await {
            Ok(true) => Duration::ZERO,
            Ok(false) => LOOK_AGAIN,
            Err(Error::Closed) => break,
            Err(error) => {
                // What is in memory may be ahead of what is kept.
                desk.place = None;
                if !matches!(error, Error::Conflict { .. }) {
                    tracing::warn!(error = %causes(&error), "alerts could not be evaluated; trying again");
                }
                PAUSE
            }
        };
        tokio::select! {
            () = desk.wait(wait) => {}
            () = closed(&mut closing) => {}
        }
    }
}

struct Desk {
    app: App,
    happened: broadcast::Receiver<Happened>,
    /// What follows at once is looked at together.
    pace: Interval,
    /// What is in memory fits this; nothing before the first look, and where another node was faster.
    place: Option<Place>,
    book: Book,
    jobs: FxHashMap<JobId, Option<Arc<Known>>>,
    states: BTreeMap<JobId, Held>,
}

/// How far events are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    version: i64,
    kept: i64,
    seen: i64,
}

/// A job, and what is wanted of it.
struct Known {
    job: Arc<Job>,
    wants: Wants,
    /// Its runs have others for parts, which do not count.
    has_parts: bool,
}

/// What is known of a job, and the version of the document that holds it.
#[derive(Clone)]
struct Held {
    kept: Kept,
    version: Option<i64>,
}

/// What a look has changed.
#[derive(Default)]
struct Found {
    touched: BTreeSet<JobId>,
    notices: Vec<(JobKey, Notice)>,
}

impl Desk {
    fn new(app: App) -> Self {
        let happened = app.engine.subscribe();
        let (jobs, states) = (FxHashMap::default(), BTreeMap::new());
        let mut pace = tokio::time::interval(PAUSE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { app, happened, pace, place: None, book: Book::default(), jobs, states }
    }

    /// Waits until it is worth looking again.
    async fn wait(&mut self, most: Duration) {
        self.pace.tick().await;
        let Self { app, happened, place, .. } = self;
        let heard = async {
            tokio::select! {
                // Nobody wants to hear of it before there are rules.
                _ = happened.recv(), if place.is_some() => {}
                () = app.alerts.changed.notified() => {}
            }
        };
        let _ = timeout(most, heard).await;
    }

    /// Evaluates the next events, and the time if there are no more. Whether there may be more.
    async fn look(&mut self) -> Result<bool> {
        let Some(place) = self.begin().await? else { return Ok(false) };
        let rows = self.app.control().store().events(place.seen, ROWS_MAX).await?;
        let mut found = Found::default();
        for row in &rows {
            self.take_in(row, &mut found).await?;
        }
        let more = rows.len() >= ROWS_MAX as usize;
        if !more {
            // What is not known of would be forgotten as unwanted.
            let ids: Vec<_> = self.states.keys().copied().collect();
            self.know(&ids).await?;
            self.tick(&mut found);
        }
        let seen = rows.last().map_or(place.seen, |row| row.seq);
        self.keep(Place { seen, ..place }, found).await?;
        let open = self.states.values().map(|held| held.kept.state.open.len()).sum::<usize>();
        self.app.figures.alerts_open.set(i64::try_from(open).unwrap_or(i64::MAX));
        Ok(more)
    }

    /// Reads rules and silences, and what others have written. Nothing, while nobody wants to be told of anything.
    async fn begin(&mut self) -> Result<Option<Place>> {
        let store = Arc::clone(self.app.control().store());
        let Some(document) = store.document(EVENTS_PLACE, PLACE, self.app.now()).await? else {
            self.place = None;
            return Ok(None);
        };
        let book = Book::read(&self.app).await?;
        if book.rules != self.book.rules {
            self.jobs.clear();
        }
        self.book = book;
        if let Some(place) = self.place.filter(|place| place.version == document.version) {
            return Ok(Some(place));
        }
        self.jobs.clear();
        self.states.clear();
        for document in all(&self.app, STATE).await? {
            let Some((id, kept)) = states::read(&document).or_else(|| states::blank(&document)) else { continue };
            self.states.insert(id, Held { kept, version: Some(document.version) });
        }
        let kept = document.body.parse().unwrap_or(0);
        self.place = Some(Place { version: document.version, kept, seen: kept });
        Ok(self.place)
    }

    /// Learns what is wanted of jobs.
    async fn know(&mut self, ids: &[JobId]) -> Result<()> {
        if self.jobs.len() > JOBS_MAX {
            self.jobs.clear();
        }
        let missing: Vec<_> = ids.iter().copied().filter(|id| !self.jobs.contains_key(id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let found = self.app.control().store().jobs_by_id(missing.clone()).await?;
        self.jobs.extend(missing.into_iter().map(|id| (id, None)));
        for row in found {
            let job = row.definition;
            let wants = self.book.wants(&job);
            let has_parts = job.workflow().is_some() || job.is_routed();
            let known = (!wants.is_empty()).then(|| Arc::new(Known { job, wants, has_parts }));
            self.jobs.insert(row.id, known);
        }
        Ok(())
    }

    async fn take_in(&mut self, row: &EventRow, found: &mut Found) -> Result<()> {
        let Ok(payload) = serde_json::from_str::<Value>(&row.payload) else { return Ok(()) };
        match row.kind.as_str() {
            "runs" => {
                let changes = payload.as_array().map(Vec::as_slice).unwrap_or_default();
                let of = |change: &Value| {
                    let run: RunId = change[0].as_str()?.parse().ok()?;
                    Some((run, JobId(change[1].as_i64()?), change[2].as_str().and_then(RunState::from_word)?))
                };
                let changes: Vec<_> = changes.iter().filter_map(of).collect();
                self.know(&changes.iter().map(|(_, job, _)| *job).collect::<Vec<_>>()).await?;
                for (run, job, state) in changes {
                    self.of_run(run, job, state, row.at, found).await?;
                }
            }
            "missed" => {
                let Some(job) = payload["job"].as_i64().map(JobId) else { return Ok(()) };
                self.know(&[job]).await?;
                let event = Event::Misfired { count: payload["count"].as_u64().unwrap_or(1) };
                self.on(job, &event, row.at, found);
            }
            "run" if payload["change"] == "deadline_missed" => {
                let text = payload["key"].as_str().and_then(|key| key.rsplit('/').next()).unwrap_or_default();
                let Ok(run) = text.parse::<RunId>() else { return Ok(()) };
                let Some(info) = self.app.control().store().run(run).await? else { return Ok(()) };
                self.know(&[info.job]).await?;
                self.on(info.job, &Event::DeadlineMissed { run: text.to_owned() }, row.at, found);
            }
            "job" => {
                let key = payload["key"].as_str().unwrap_or_default();
                let is_it = |known: &Known| known.job.key.to_string() == key;
                // One that was not known may be the one that wants to be told from now on.
                self.jobs.retain(|_, known| known.as_ref().is_some_and(|known| !is_it(known)));
                let ids: Vec<_> = self
                    .states
                    .iter()
                    .filter(|(_, held)| held.kept.key.to_string() == key)
                    .map(|(id, _)| *id)
                    .collect();
                self.know(&ids).await?;
                if payload["change"] == "deleted" {
                    for id in ids {
                        self.states.get_mut(&id).expect("it is there").kept.state = State::default();
                        found.touched.insert(id);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn of_run(
        &mut self,
        run: RunId,
        job: JobId,
        state: RunState,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<()> {
        let Some(known) = self.jobs.get(&job).cloned().flatten() else { return Ok(()) };
        let is_well = !self.states.contains_key(&job);
        let is_late = |condition: &Condition| matches!(condition, Condition::Late(_));
        let is_long = |condition: &Condition| matches!(condition, Condition::RunsLonger(_));
        let wants = |what: fn(&Condition) -> bool| known.wants.keys().any(what);
        let matters = match state {
            RunState::Failed => true,
            RunState::Succeeded | RunState::Cancelled | RunState::Skipped => !is_well,
            RunState::Running => wants(is_late) || wants(is_long),
            RunState::Queued | RunState::Held => wants(is_late),
            RunState::Scheduled | RunState::Waiting => !is_well,
        };
        if !matters {
            return Ok(());
        }
        if known.has_parts && self.app.control().store().run(run).await?.is_some_and(|info| info.parent.is_some()) {
            return Ok(());
        }
        let text = run.to_string();
        let wants = &known.wants;
        let event = match state {
            RunState::Queued | RunState::Held => {
                Event::Waits { due_at: self.due_at(run, at, wants, 0).await?, run: text }
            }
            RunState::Running => Event::Started { due_at: self.due_at(run, at, wants, 1).await?, run: text },
            RunState::Scheduled | RunState::Waiting => Event::Rests { run: text },
            RunState::Succeeded => Event::Ended { run: text, how: Ended::Succeeded },
            RunState::Failed => Event::Ended { run: text, how: Ended::Failed },
            RunState::Cancelled | RunState::Skipped => Event::Ended { run: text, how: Ended::Otherwise },
        };
        self.on(job, &event, at, found);
        Ok(())
    }

    /// When a run was due. Its id says the fire time; where that is long ago, the run is asked why.
    async fn due_at(&self, run: RunId, at: Timestamp, wants: &Wants, attempts: u32) -> Result<Timestamp> {
        let least = wants.keys().filter_map(|condition| match condition {
            Condition::Late(ms) => Some(*ms),
            _ => None,
        });
        let Some(least_ms) = least.min() else { return Ok(at) };
        if at.since(run.time()) < least_ms {
            return Ok(run.time());
        }
        let Some(info) = self.app.control().store().run(run).await? else { return Ok(at) };
        Ok(match info.origin {
            // A later attempt is not late.
            _ if info.attempt > attempts => at,
            Origin::Schedule | Origin::Misfire => info.due_at,
            _ => info.not_before.unwrap_or(info.created_at),
        })
    }

    fn on(&mut self, id: JobId, event: &Event, at: Timestamp, found: &mut Found) {
        let Some(known) = self.jobs.get(&id).cloned().flatten() else { return };
        let is_silenced = self.book.silence(&known.job, at).is_some();
        let new = || Held { kept: Kept { key: known.job.key.clone(), state: State::default() }, version: None };
        let held = self.states.entry(id).or_insert_with(new);
        held.kept.key.clone_from(&known.job.key);
        let notices = held.kept.state.on(event, at, &known.wants, is_silenced);
        found.touched.insert(id);
        found.notices.extend(notices.into_iter().map(|notice| (known.job.key.clone(), notice)));
    }

    /// Looks at the time.
    fn tick(&mut self, found: &mut Found) {
        let now = self.app.now();
        let none = Wants::new();
        for (id, held) in &mut self.states {
            let known = self.jobs.get(id).and_then(Option::as_ref);
            let (wants, is_silenced) =
                known.map_or((&none, false), |known| (&known.wants, self.book.silence(&known.job, now).is_some()));
            let before = held.kept.state.clone();
            let notices = held.kept.state.tick(now, wants, is_silenced);
            if held.kept.state != before {
                found.touched.insert(*id);
            }
            let key = &held.kept.key;
            found.notices.extend(notices.into_iter().map(|notice| (key.clone(), notice)));
        }
    }

    /// Writes what a look has found with the place, or nothing of it.
    async fn keep(&mut self, place: Place, found: Found) -> Result<()> {
        let now = self.app.now();
        let mut changes = Vec::new();
        for id in &found.touched {
            let Some(held) = self.states.get(id) else { continue };
            let name = id.to_string();
            match (held.kept.state.is_default(), held.version) {
                (true, None) => {}
                (true, Some(version)) => changes.push(DocumentChange::Remove { kind: STATE.to_owned(), name, version }),
                (false, version) => {
                    let body = serde_json::to_string(&held.kept).expect("plain data has a text");
                    let document =
                        Document { kind: STATE.to_owned(), name, body, version: 0, at: now, expires_at: None };
                    let expect = version.map_or(DocumentExpect::Absent, DocumentExpect::Version);
                    changes.push(DocumentChange::Put(document, expect));
                }
            }
        }
        let letters = self.letters(found.notices, now).await;
        let has_letters = !letters.is_empty();
        changes.extend(letters.into_iter().map(|letter| {
            DocumentChange::Put(letter.document(OUTBOX, outbox::new_name(now), now), DocumentExpect::Absent)
        }));
        if changes.is_empty() && place.seen - place.kept < BEHIND_MAX {
            self.forget_well(&found.touched);
            self.place = Some(place);
            return Ok(());
        }
        let (kind, name, body) = (EVENTS_PLACE.to_owned(), PLACE.to_owned(), place.seen.to_string());
        let document = Document { kind, name, body, version: 0, at: now, expires_at: None };
        changes.insert(0, DocumentChange::Put(document, DocumentExpect::Version(place.version)));
        self.app.control().store().change_documents(changes).await?;
        for id in &found.touched {
            if let Some(held) = self.states.get_mut(id) {
                held.version = Some(held.version.unwrap_or(0) + 1);
            }
        }
        self.forget_well(&found.touched);
        self.place = Some(Place { version: place.version + 1, kept: place.seen, seen: place.seen });
        if has_letters {
            self.app.alerts.outbox.notify_one();
        }
        Ok(())
    }

    fn forget_well(&mut self, touched: &BTreeSet<JobId>) {
        for id in touched {
            if self.states.get(id).is_some_and(|held| held.kept.state.is_default()) {
                self.states.remove(id);
            }
        }
    }

    /// Makes messages of notices: one for each, or one for many to a channel that would be flooded.
    async fn letters(&self, notices: Vec<(JobKey, Notice)>, now: Timestamp) -> Vec<Letter> {
        let mut by_target: BTreeMap<(Target, u8), Vec<usize>> = BTreeMap::new();
        for (index, (_, notice)) in notices.iter().enumerate() {
            for target in &notice.targets {
                by_target.entry((target.clone(), notice.why as u8)).or_default().push(index);
            }
        }
        let mut made: BTreeMap<usize, Message> = BTreeMap::new();
        let mut letters = Vec::new();
        for ((target, _), of) in by_target {
            if of.len() > SINGLY_MAX {
                let all: Vec<_> = of.iter().map(|index| notices[*index].clone()).collect();
                let why = all.first().map_or(Why::Opened, |(_, notice)| notice.why);
                letters.push(Letter::new(target.channel, target.to, message::digest(&self.app, &all, why), now));
                continue;
            }
            for index in of {
                let (key, notice) = &notices[index];
                let message = match made.get(&index) {
                    Some(message) => message.clone(),
                    None => made.entry(index).or_insert(message::of(&self.app, key, notice).await).clone(),
                };
                letters.push(Letter::new(target.channel.clone(), target.to.clone(), message, now));
            }
        }
        letters
    }
}
