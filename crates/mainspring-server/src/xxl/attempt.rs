//! One attempt that an executor is sent, until it is over.
//!
//! It is sent once. Only where no connection was made, so that nothing was sent, does it go to another executor of the app. What
//! became of one whose sending was not answered shows in a callback, or in what the executor says of the job.

mod shared;

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::JobId;
use mainspring_core::batch::AttemptDetail;
use mainspring_core::job::{Block, Task, XxlTask};
use mainspring_core::routing::Strategy;
use mainspring_core::run::AttemptOutcome;
use mainspring_engine::{Given, WorkerError};
use mainspring_schedule::Timestamp;
use mainspring_store::causes;
use mainspring_xxl::words::{BlockStrategy, GlueType};
use mainspring_xxl::{Ability, Address, Dispatch, Event, Facts, Killing, Order, Reply, RunAnswer, Stop, Vigil, filled};
use serde_json::Value;

use super::apps::{self, Apps};
use super::callback;
use super::ends::cut;
use super::executors::{Callee, Key};
use super::hands::{Hand, Permit};
use super::ledger::{self, Opened, Sent};
use super::log::LogPull;
use super::sync::{lock, until};
use crate::app::App;
use crate::closing::rest;
pub(super) use shared::Attempt;

/// Between two looks at an attempt: at its log, its time, and what the executor says of its job.
const LOOK: Duration = Duration::from_secs(2);
/// How long an executor has to report the end that its own timer makes, before it is asked to make it.
const GRACE_MS: i64 = 5_000;
/// How long a look may take where the store answers.
const AWAY_MS: i64 = 10_000;
/// By then executors have reported again what could not be taken in: Java's do so every 30 s.
const REPORTED_AGAIN_MS: i64 = 45_000;
/// Pause before the store is asked again.
const AGAIN: Duration = Duration::from_millis(500);
/// The lowest number that a job is given here; those below are for job files.
pub(super) const JOB_ID_MIN: i64 = 1_000_000_000;

/// Sends an attempt and follows it until it is over. Returns once nothing more is to be done for it here.
pub(super) async fn run(app: App, hand: Arc<Hand>, attempt: Arc<Attempt>, given: Given) {
    let Some(worker) = hand.worker() else { return };
    let sent = Sent {
        log_id: 0,
        run: attempt.run,
        attempt: attempt.attempt,
        worker,
        app: hand.key.0.clone(),
        address: hand.key.1.as_str().to_owned(),
        job_id: 0,
        date: app.now().as_millis(),
        mark: ledger::mark(),
        timed_out: false,
    };
    let mut work = Work { app, hand, attempt, sent, given };
    work.perform().await;
    if let Some(log_id) = work.attempt.log_id() {
        lock(&work.app.xxl.attempts).remove(&log_id);
    }
    work.hand.take(&work.attempt);
}

struct Work {
    app: App,
    hand: Arc<Hand>,
    attempt: Arc<Attempt>,
    sent: Sent,
    given: Given,
}

impl Work {
    async fn perform(&mut self) {
        let definition = Arc::clone(&self.given.definition);
        let Task::Xxl(task) = &definition.task else {
            let why = format!("executors execute no `{}` tasks", definition.task.kind());
            return self.end(AttemptOutcome::Failed, "task.not_enabled", why).await;
        };
        let Some(job_id) = job_id(task, self.given.start.job) else {
            let why = "the job has no number that an executor could take: give it one, as xxl.id".to_owned();
            return self.end(AttemptOutcome::Failed, "xxl.job_id", why).await;
        };
        self.sent.job_id = job_id;
        if task.glue.is_some() {
            let Some(apps) = apps::known(&self.app).await else { return };
            let app = &self.sent.app;
            if !apps.get(app).is_some_and(|row| row.kept.glue) {
                let why = format!("the app {app} allows no scripts: mainspring xxl app set {app} --glue on");
                return self.end(AttemptOutcome::Failed, "xxl.glue_off", why).await;
            }
        }
        // It is written down only when it may go: whoever finds it written after a restart takes it for sent.
        let permit = match self.ask(&self.hand.key) {
            Ok(permit) => permit,
            Err(_) => {
                // What is sent already waits for nothing.
                let Some(written) = self.find().await else { return };
                if let Some(sent) = written {
                    return self.resume(sent).await;
                }
                let Some(permit) = self.admitted(&self.hand.key).await else { return };
                permit
            }
        };
        self.sent.date = self.app.now().as_millis();
        match self.open().await {
            Some(Opened::Fresh(sent)) => {
                self.take_number(sent);
                if let Some(state) = self.send(task, permit).await {
                    let log = LogPull::new(&self.sent);
                    self.follow(state, log, false).await;
                }
            }
            Some(Opened::Known(sent)) => {
                drop(permit);
                self.resume(sent).await;
            }
            None => {}
        }
    }

    /// Follows an attempt that was written down before, and perhaps sent.
    async fn resume(&mut self, sent: Sent) {
        self.take_number(sent);
        if let Ok(address) = Address::parse(&self.sent.address) {
            self.attempt.goes_to((self.sent.app.clone(), address));
        }
        let log = LogPull::begin(&self.app, &self.sent).await;
        // Another node, or this one before it heard of the attempt, may have been told its end.
        self.look_up().await;
        self.follow(Dispatch::Sent.on(Event::Unanswered), log, true).await;
    }

    /// Takes over what is written down. Before anything is sent: the callback may be here before the answer.
    fn take_number(&mut self, sent: Sent) {
        self.sent = Sent { worker: self.sent.worker, ..sent };
        let _first = self.attempt.sent.set(self.sent.clone());
        lock(&self.app.xxl.attempts).insert(self.sent.log_id, Arc::clone(&self.attempt));
    }

    /// Writes the attempt down. Nothing: the server closes.
    async fn open(&self) -> Option<Opened> {
        loop {
            let (store, openings) = (self.app.control().store(), &self.app.xxl.openings);
            match ledger::open(store, openings, &self.sent, self.app.now()).await {
                Ok(opened) => return Some(opened),
                Err(error) => self.ledger_away(&error).await?,
            }
        }
    }

    /// What is written down of the attempt, if anything is. Nothing: the server closes.
    async fn find(&self) -> Option<Option<Sent>> {
        loop {
            match ledger::written(&**self.app.control().store(), &self.sent, self.app.now()).await {
                Ok(written) => return Some(written),
                Err(error) => self.ledger_away(&error).await?,
            }
        }
    }

    /// Waits before the ledger is asked again. Nothing: the server closes.
    async fn ledger_away(&self, error: &mainspring_store::Error) -> Option<()> {
        tracing::warn!(error = %causes(error), run.id = %self.sent.run, "an attempt for an executor could not be written down; trying again");
        rest(&self.app.closing, AGAIN).await.then_some(())
    }

    /// Sends the attempt to its executor, or to another one as long as nobody could be reached. Nothing: no executor has it, which is
    /// recorded, or the server closes.
    async fn send(&mut self, task: &XxlTask, permit: Permit) -> Option<Dispatch> {
        let own = self.hand.key.clone();
        let may_turn = self.given.definition.routing.strategy() != Strategy::ShardingBroadcast;
        let mut others =
            if may_turn { self.app.xxl.executors().others(&own, self.app.xxl.now_ms()) } else { Vec::new() };
        others.reverse();
        let (mut next, mut reasons) = (Some((own, permit)), Vec::new());
        while let Some((key, mut permit)) = next.take() {
            if self.attempt.stop().is_some() {
                drop(permit);
                self.end_unsent().await;
                return None;
            }
            let apps = apps::known(&self.app).await?;
            let Some(callee) = self.callee(&key, &apps) else {
                drop(permit);
                let why = format!("the app {} is there no more", self.sent.app);
                self.end(AttemptOutcome::Failed, "xxl.no_executor", why).await;
                return None;
            };
            self.attempt.goes_to(key.clone());
            permit.sends();
            let answer = self.app.xxl.client.run(&callee.target(), &self.order(task)).await;
            self.app.figures.xxl.sent(&key.0, &answer);
            match &answer {
                RunAnswer::Accepted(reply) | RunAnswer::Refused(reply) => {
                    permit.answered();
                    self.app.xxl.executors().answered(&key, reply, self.app.xxl.moment(self.app.now()));
                }
                RunAnswer::Unreached(_) | RunAnswer::Unknown(_) => drop(permit),
            }
            // The callback may have come first.
            if self.attempt.is_over() {
                return Some(Dispatch::Sent.on(Event::Accepted));
            }
            match answer {
                RunAnswer::Accepted(_) => return Some(Dispatch::Sent.on(Event::Accepted)),
                RunAnswer::Unknown(reason) => {
                    tracing::warn!(run.id = %self.sent.run, log_id = self.sent.log_id, address = %key.1, "an executor has not answered a run, which is not sent again: {reason}");
                    return Some(Dispatch::Sent.on(Event::Unanswered));
                }
                RunAnswer::Refused(reply) => {
                    let said = reply.message.unwrap_or_else(|| format!("code {}", reply.code.unwrap_or_default()));
                    self.end(AttemptOutcome::Failed, "xxl.refused", format!("{} refuses: {said}", key.1)).await;
                    return None;
                }
                RunAnswer::Unreached(reason) => {
                    reasons.push(format!("{}: {reason}", key.1));
                    if let Some(key) = others.pop() {
                        let permit = self.admitted(&key).await?;
                        self.sent.address = key.1.as_str().to_owned();
                        let store = self.app.control().store();
                        // What it says is for people and for the next server: callbacks are found all the same.
                        if let Err(error) = ledger::turn(&**store, &self.sent, self.app.now()).await {
                            tracing::warn!(error = %causes(&error), run.id = %self.sent.run, "could not note where a run goes");
                        }
                        next = Some((key, permit));
                    }
                }
            }
        }
        self.end(
            AttemptOutcome::Failed,
            "xxl.unreached",
            format!("no executor can be reached: {}", reasons.join("; ")),
        )
        .await;
        None
    }

    /// Asks to send it to an executor: each counts what is sent to it, and what it answers.
    fn ask(&self, key: &Key) -> Result<Permit, i64> {
        let hand = if *key == self.hand.key {
            Some(Arc::clone(&self.hand))
        } else {
            lock(&self.app.xxl.hands).get(key).cloned()
        };
        Permit::ask(&self.app, hand)
    }

    /// Waits until an executor may be sent it. Nothing: it is over before that, or the server closes.
    async fn admitted(&self, key: &Key) -> Option<Permit> {
        let deadline = self.given.timeout_ms(self.given.claimed_at).map(|ms| self.given.claimed_at + ms);
        let mut stop = self.attempt.stop.subscribe();
        loop {
            if self.attempt.stop().is_some() {
                self.end_unsent().await;
                return None;
            }
            if deadline.is_some_and(|deadline| self.app.now() >= deadline) {
                let why = "its time was over before the executor could be sent it".to_owned();
                self.end(AttemptOutcome::TimedOut, "xxl.timed_out", why).await;
                return None;
            }
            let pause_ms = match self.ask(key) {
                Ok(permit) => return Some(permit),
                Err(pause_ms) => pause_ms,
            };
            tokio::select! {
                is_open = rest(&self.app.closing, Duration::from_millis(pause_ms.unsigned_abs())) => {
                    if !is_open {
                        return None;
                    }
                }
                () = until(&mut stop, |stop| stop.is_some()) => {}
            }
        }
    }

    /// Ends an attempt that was to end before it was sent.
    async fn end_unsent(&self) {
        let why = "its end was asked for before it was sent".to_owned();
        self.end(AttemptOutcome::Cancelled, "xxl.killed", why).await;
    }

    /// How to call an executor now. Nothing: its app is gone.
    fn callee(&self, key: &Key, apps: &Apps) -> Option<Callee> {
        self.app.xxl.executors().callee(key, apps.get(&key.0)?, self.app.now())
    }

    /// What is sent.
    fn order(&self, task: &XxlTask) -> Order {
        let input = self.given.input();
        let params = match &input {
            Value::Null => filled(&task.params, &self.facts()),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let Sent { job_id, log_id, date, .. } = self.sent;
        let order = match task.glue.as_ref().and_then(|glue| Some((GlueType::of_word(&glue.language)?, &glue.source))) {
            Some((glue, source)) => Order::of_script(job_id, glue, source, &params, log_id, date),
            None => Order::of_handler(job_id, &task.handler, &params, log_id, date),
        };
        let limit_ms = self.given.timeout_ms(Timestamp::from_millis(date)).unwrap_or(0);
        let shard = self.given.shard.map_or((0, 1), |shard| (shard.index, shard.total));
        Order {
            executor_block_strategy: match task.block {
                Block::SerialExecution => BlockStrategy::Serial,
                Block::DiscardLater => BlockStrategy::DiscardLater,
                Block::CoverEarly => BlockStrategy::CoverEarly,
            },
            executor_timeout: i32::try_from(limit_ms.saturating_add(999) / 1_000).unwrap_or(i32::MAX),
            broadcast_index: i32::try_from(shard.0).unwrap_or(i32::MAX),
            broadcast_total: i32::try_from(shard.1).unwrap_or(i32::MAX),
            ..order
        }
    }

    /// What its parameter may name.
    fn facts(&self) -> Facts {
        let fire_time = self.given.start.fire_time;
        let (planned, planned_ms) = (fire_time.to_string(), fire_time.as_millis());
        Facts { planned, planned_ms, run: self.sent.run.to_string(), attempt: self.sent.attempt }
    }

    /// Follows an attempt that the executor has, or perhaps has, until it is over: pulls its log, keeps to its time, ends it when that is
    /// asked for, and finds out that nobody executes it any more. One that was sent just now, and is not `resumed`, is over before the
    /// first look if it is short: until then nothing is asked, neither the executor nor the store.
    async fn follow(&mut self, state: Dispatch, mut log: LogPull, resumed: bool) {
        let mut vigil = Vigil::new(state, self.app.xxl.now_ms());
        let (mut is_due, mut is_looked_up) = (resumed, resumed);
        let limit = self.given.timeout_ms(self.given.claimed_at).map(|ms| self.given.claimed_at + ms + GRACE_MS);
        // What ended while nobody could take that in is reported again.
        let again = |app: &App| app.now() + REPORTED_AGAIN_MS;
        let mut limit = limit.map(|limit| if resumed { limit.max(again(&self.app)) } else { limit });
        let (mut over, mut stop) = (self.attempt.over.subscribe(), self.attempt.stop.subscribe());
        let (mut closing, mut seen_ms) = (self.app.closing.clone(), self.app.xxl.now_ms());
        while !self.attempt.is_over() {
            if self.was_away(&mut seen_ms) {
                limit = limit.map(|limit| limit.max(again(&self.app)));
            }
            if limit.is_some_and(|limit| self.app.now() >= limit) {
                self.attempt.ask_stop(Stop::Timeout);
            }
            if let Some(why) = self.attempt.stop()
                && let Some(end) = self.kill(&mut vigil, why).await
            {
                let outcome = if why == Stop::Kill { AttemptOutcome::Cancelled } else { AttemptOutcome::TimedOut };
                let code = if why == Stop::Kill { "xxl.killed" } else { "xxl.timed_out" };
                self.end(outcome, code, end.to_owned()).await;
                break;
            }
            if is_due && !std::mem::replace(&mut is_looked_up, true) {
                self.look_up().await;
            }
            if is_due && let Some(callee) = self.executor().await {
                if log.pull(&self.app, &self.sent, &callee, false).await {
                    vigil.seen_at_work();
                }
                let now_ms = self.app.xxl.now_ms();
                if !self.attempt.is_over() && vigil.asks_idle(now_ms) {
                    let is_idle = if self.look_up().await { self.is_idle(&callee).await } else { None };
                    vigil.told_idle(now_ms, is_idle);
                }
            }
            if self.was_away(&mut seen_ms) {
                limit = limit.map(|limit| limit.max(again(&self.app)));
                vigil.told_idle(seen_ms, None);
            }
            if let Some(why) = vigil.lost(self.app.xxl.now_ms(), self.is_silent()) {
                self.end(AttemptOutcome::Lost, "xxl.lost", why).await;
                break;
            }
            is_due = true;
            let asked = self.attempt.stop().is_some();
            tokio::select! {
                () = until(&mut over, |over| *over) => {}
                () = until(&mut stop, |stop| stop.is_some()), if !asked => {}
                _ = tokio::time::timeout(LOOK, crate::closing::closed(&mut closing)) => {
                    if *closing.borrow() {
                        return;
                    }
                }
            }
        }
        if let Some(callee) = self.executor().await {
            log.pull(&self.app, &self.sent, &callee, true).await;
        }
    }

    /// Whether the store was away since it was seen last, or this process stood still: callbacks could not be taken meanwhile.
    fn was_away(&self, seen_ms: &mut i64) -> bool {
        let now_ms = self.app.xxl.now_ms();
        now_ms - std::mem::replace(seen_ms, now_ms) > AWAY_MS
    }

    /// Looks whether the end of the attempt is recorded already. False: the store could not say.
    async fn look_up(&self) -> bool {
        let attempts = self.app.control().store().attempts(self.sent.run).await;
        let is_over = |attempts: &[mainspring_store::AttemptInfo]| {
            let here = attempts.iter().find(|one| one.attempt == self.sent.attempt);
            here.is_none_or(|here| here.outcome.is_some())
        };
        match attempts {
            Ok(attempts) if is_over(&attempts) => self.attempt.end(),
            Ok(_) => {}
            // The next look finds out.
            Err(error) => {
                tracing::warn!(error = %causes(&error), run.id = %self.sent.run, "an attempt could not be read");
                return false;
            }
        }
        true
    }

    /// How to call the executor that has it.
    async fn executor(&self) -> Option<Callee> {
        let key = self.attempt.sends_to()?;
        self.callee(&key, &apps::known(&self.app).await?)
    }

    /// Whether the executor that has it is known here, and nothing was heard of it lately. Another node may hear one that is not known.
    fn is_silent(&self) -> bool {
        let (executors, now_ms) = (self.app.xxl.executors(), self.app.xxl.now_ms());
        let key = self.attempt.sends_to();
        key.is_some_and(|key| executors.find(&key).is_some() && !executors.is_heard(&key, now_ms))
    }

    /// Whether the executor says that no run of the job is there. Nothing: it has not answered.
    async fn is_idle(&self, callee: &Callee) -> Option<bool> {
        let key = self.attempt.sends_to()?;
        let reply = self.app.xxl.client.idle_beat(&callee.target(), self.sent.job_id).await.ok()?;
        self.heard(&key, &reply);
        Some(reply.is_success())
    }

    /// Asks the executor to end the job's runs, again and again. Some: what to say where it has not reported the end in time.
    async fn kill(&mut self, vigil: &mut Vigil, why: Stop) -> Option<&'static str> {
        match vigil.kills(self.app.xxl.now_ms()) {
            Killing::Over(why) => return Some(why),
            Killing::Wait => return None,
            Killing::Ask => {}
        }
        // Another node may have been told its end: then the kill would hit the next run of the job.
        if !self.look_up().await || self.attempt.is_over() {
            return None;
        }
        if why == Stop::Timeout && !self.sent.timed_out {
            // Whichever node is told of its end sees why it has ended.
            let sent = Sent { timed_out: true, ..self.sent.clone() };
            if let Err(error) = ledger::turn(&**self.app.control().store(), &sent, self.app.now()).await {
                tracing::warn!(error = %causes(&error), run.id = %self.sent.run, "could not note that the time of a run is over; trying again");
                return None;
            }
            self.sent = sent;
        }
        let (key, callee) = (self.attempt.sends_to()?, self.executor().await?);
        match self.app.xxl.client.kill(&callee.target(), self.sent.job_id).await {
            Ok(reply) => {
                self.heard(&key, &reply);
                self.app.xxl.executors().note_ability(&key, Ability::Kill, reply.is_success());
                if reply.is_success() {
                    vigil.told_kill(self.app.xxl.now_ms());
                }
            }
            Err(error) => {
                tracing::warn!(run.id = %self.sent.run, %error, "an executor was not asked to end a run; trying again")
            }
        }
        None
    }

    fn heard(&self, key: &Key, reply: &Reply) {
        self.app.xxl.executors().answered(key, reply, self.app.xxl.moment(self.app.now()));
    }

    /// Records an end that no executor has reported, however often it takes.
    async fn end(&self, outcome: AttemptOutcome, code: &str, why: String) {
        let detail = AttemptDetail {
            error_code: Some(code.to_owned()),
            error: Some(cut(why, 4_096)),
            ..AttemptDetail::default()
        };
        while !self.attempt.is_over() {
            match callback::report(&self.app, &self.sent, (outcome, detail.clone()), self.app.now()).await {
                // Refused: the executor's own word came first.
                Ok(_) | Err(WorkerError::NotFound(_)) => return self.attempt.end(),
                Err(error) => {
                    tracing::warn!(error = %causes(&error), run.id = %self.sent.run, "the end of an attempt could not be recorded; trying again");
                    if !rest(&self.app.closing, AGAIN).await {
                        return;
                    }
                }
            }
        }
    }
}

/// The job's number for executors, which fits into 31 bits.
pub(super) fn job_id(task: &XxlTask, job: JobId) -> Option<i32> {
    match task.id {
        Some(id) => i32::try_from(id).ok(),
        None => i32::try_from(job.0.checked_add(JOB_ID_MIN)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_the_number_of_its_file_or_one_above_all_of_these() {
        let task = |id| XxlTask {
            app: "mail".to_owned(),
            handler: "send".to_owned(),
            glue: None,
            params: String::new(),
            block: Block::SerialExecution,
            id,
        };
        assert_eq!(job_id(&task(Some(7)), JobId(3)), Some(7));
        assert_eq!(job_id(&task(None), JobId(3)), Some(1_000_000_003));
        assert_eq!(job_id(&task(None), JobId(1_147_483_647)), Some(i32::MAX));
        assert_eq!(job_id(&task(None), JobId(1_147_483_648)), None);
    }
}
