//! The loops of a worker: one asks, one reports, one watches whether anything is heard.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mainspring_api::{
    AttemptState, WorkerEnd, WorkerHolding, WorkerOrders, WorkerPoll, WorkerReceipt, WorkerReport, WorkerRun,
    WorkerSpec, WorkerTerms,
};
use mainspring_tasks::Silence;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::book::{Book, Heard, Life, Question, Stop, Unanswered};
use crate::clock::{boot_ms, now, pause};
use crate::execute::Executor;
use crate::journal::Journal;
use crate::link::{Backoff, Link, Trouble};
use crate::outbox::{Batch, Log, Outbox, REPORT_BYTES, Sender, What, end_bytes};
use crate::record::Legacy;

/// The most time between two looks at whether something was heard: after a sleep of the machine it is late by this much.
const WATCH_EVERY_MS: u64 = 500;
/// The time that a worker waits for the answer when it leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(3);
/// Ends of an earlier process that are reported at a time.
pub const LEGACY_ENDS: usize = 100;

/// Ends that go to the disk at a time.
const KEPT_AT_ONCE: usize = 1_000;

/// The id under which an attempt was given, its end, and who waits until that is in the journal.
type Keep = (Arc<str>, WorkerEnd, oneshot::Sender<()>);

/// The channels that the loops receive from.
pub(crate) struct Incoming {
    outbox: Outbox,
    keep: mpsc::UnboundedReceiver<Keep>,
}

/// The state that the loops share.
pub(crate) struct Core {
    pub(crate) spec: WorkerSpec,
    pub(crate) link: Link,
    pub(crate) executor: Executor,
    journal: Option<Mutex<Journal>>,
    hands: Mutex<Hands>,
    /// Counts what may matter to a question that is under way.
    changed: watch::Sender<u64>,
    outbox: Sender,
    /// Ends to keep in the journal, if there is one, and who waits for that.
    keeping: mpsc::UnboundedSender<Keep>,
    tasks: Mutex<JoinSet<()>>,
}

/// The assignments, and how to stop each attempt.
struct Hands {
    book: Book,
    id: Arc<str>,
    tells: HashMap<WorkerHolding, (Life, watch::Sender<Stop>)>,
}

/// The end of an incarnation.
enum Over {
    /// The server knows the id no more.
    Dismissed,
    /// The worker left: nothing is left to do.
    Left,
}

impl Hands {
    fn tell(&self, ends: &[WorkerHolding], why: Stop) {
        ends.iter().filter_map(|holding| self.tells.get(holding)).for_each(|(_, tell)| _ = tell.send_replace(why));
    }
}

impl Core {
    pub(crate) fn new(
        spec: WorkerSpec,
        link: Link,
        executor: Executor,
        journal: Option<Journal>,
    ) -> (Arc<Self>, Incoming) {
        let (items, outbox) = Outbox::new();
        let (keeping, keep) = mpsc::unbounded_channel();
        let hands = Hands { book: Book::new(spec.slots), id: Arc::from(""), tells: HashMap::new() };
        let core = Self {
            spec,
            link,
            executor,
            journal: journal.map(Mutex::new),
            hands: Mutex::new(hands),
            changed: watch::Sender::new(0),
            outbox: items,
            keeping,
            tasks: Mutex::default(),
        };
        (Arc::new(core), Incoming { outbox, keep })
    }

    /// Returns the id under which the worker has joined.
    pub(crate) fn id(&self) -> Arc<str> {
        Arc::clone(&self.hands().id)
    }

    /// Attempts that have not ended.
    pub(crate) fn busy(&self) -> u32 {
        self.hands().book.busy()
    }

    /// Takes nothing more; the asking loop ends when all is over and reported.
    pub(crate) fn drain(&self) {
        self.hands().book.drain();
        self.note_change();
    }

    /// Ends what is executed, and takes nothing more.
    pub(crate) fn cancel(&self) -> u32 {
        let count = {
            let mut hands = self.hands();
            hands.book.drain();
            let ends = hands.book.cancel_all();
            hands.tell(&ends, Stop::Cancel);
            ends.len()
        };
        self.note_change();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Ends all loops and what they execute where they wait next.
    pub(crate) fn abort(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    /// Reports the ends that an earlier process of this worker left, and has the rest of what it did given up at once.
    pub(crate) async fn settle_legacy(&self, legacy: Legacy) -> Result<(), Trouble> {
        tracing::info!(worker.id = legacy.worker, ends = legacy.ends.len(), "reporting what an earlier process left");
        for ends in portions(&legacy.ends) {
            let told = match self.report_left(&legacy.worker, ends.to_vec()).await {
                Err(Trouble::Refused(error)) => {
                    tracing::error!(%error, ends = ends.len(), "ends that an earlier process left are refused; each is sent alone");
                    self.report_each_left(&legacy.worker, ends).await
                }
                told => told,
            };
            match told {
                Err(Trouble::Dismissed) => return Ok(()),
                told => told?,
            }
        }
        match self.repeat("leave", || self.send_leave(&legacy.worker)).await {
            Err(Trouble::Dismissed | Trouble::Refused(_)) => Ok(()),
            other => other,
        }
    }

    /// Reports ends of an earlier process until that is answered.
    async fn report_left(&self, worker: &str, ends: Vec<WorkerEnd>) -> Result<(), Trouble> {
        let report = WorkerReport { now: now(), logs: Vec::new(), ends };
        self.repeat("report what was left", || self.send_report(worker, report.clone())).await.map(drop)
    }

    /// Sends the reports one by one: a refused one is sent without the parts that may be wrong.
    async fn report_each_left(&self, worker: &str, ends: &[WorkerEnd]) -> Result<(), Trouble> {
        for end in ends {
            let told = match self.report_left(worker, vec![end.clone()]).await {
                Err(trouble @ Trouble::Refused(_)) => self.report_left(worker, vec![bare(end.clone(), &trouble)]).await,
                told => told,
            };
            match told {
                Err(Trouble::Refused(error)) => tracing::error!(%error, run.id = end.run, "an end is refused for good"),
                told => told?,
            }
        }
        Ok(())
    }

    /// Joins, however long it takes.
    ///
    /// # Errors
    /// The server refuses the worker, or its token.
    pub(crate) async fn join(&self) -> Result<(Life, WorkerTerms), Trouble> {
        let mut sent_ms = 0;
        let ask = || {
            sent_ms = boot_ms();
            let spec = self.spec.clone();
            self.link.ask(|client| async move { client.join_worker(&spec).await })
        };
        let terms = self.repeat("join", ask).await?;
        self.in_journal("begin", |journal| journal.begin(&terms.id));
        let life = {
            let mut hands = self.hands();
            hands.id = Arc::from(terms.id.as_str());
            hands.book.joined(&terms, sent_ms)
        };
        tracing::info!(worker.id = terms.id, server = self.link.address(), "joined");
        Ok((life, terms))
    }

    /// Works until it has drained; joins anew whenever it was taken for dead.
    pub(crate) async fn run(self: Arc<Self>, incoming: Incoming, mut joined: (Life, WorkerTerms)) {
        self.spawn(Arc::clone(&self).report(incoming.outbox));
        self.spawn(Arc::clone(&self).keep(incoming.keep));
        self.spawn(Arc::clone(&self).watch());
        while let Over::Dismissed = self.serve(joined.0, &joined.1).await {
            let Some(again) = self.join_again().await else { break };
            joined = again;
        }
        self.leave().await;
    }

    /// Joins under another id. None if the worker is to stop and has nothing to do.
    async fn join_again(&self) -> Option<(Life, WorkerTerms)> {
        let mut backoff = Backoff::default();
        loop {
            if self.hands().book.is_draining() {
                return None;
            }
            tokio::select! {
                joined = self.join() => match joined {
                    Ok(joined) => return Some(joined),
                    Err(trouble) => pause(backoff.after(&trouble, "join")).await,
                },
                () = self.until(Book::is_draining) => return None,
            }
        }
    }

    /// Asks what there is to do, again and again.
    async fn serve(self: &Arc<Self>, life: Life, terms: &WorkerTerms) -> Over {
        let mut backoff = Backoff::default();
        loop {
            let Some(question) = self.hands().book.question(life) else { return Over::Dismissed };
            let (sent_ms, poll) = (boot_ms(), question.poll.clone());
            let answer = tokio::select! {
                biased;
                answer = self.send_poll(&terms.id, poll, terms.clock) => answer,
                () = self.until(|book| book.is_outdated(&question)) => continue,
            };
            if matches!(&answer, Ok(orders) if orders.draining) {
                self.link.turn_from_draining();
            }
            let (answer, trouble) = match answer {
                Ok(orders) => (Ok(orders), None),
                Err(Trouble::Dismissed) => (Err(Unanswered::Dismissed), None),
                Err(trouble) => (Err(Unanswered::Trouble), Some(trouble)),
            };
            let rest = match self.hear(life, &question, answer, sent_ms) {
                Heard::Orders { rest_ms, .. } => {
                    backoff.over("ask for work");
                    Duration::from_millis(rest_ms)
                }
                Heard::Nothing => trouble.map_or(Duration::ZERO, |trouble| backoff.after(&trouble, "ask for work")),
                Heard::Dismissed => {
                    self.dismiss(life);
                    return Over::Dismissed;
                }
                Heard::Left => return Over::Left,
            };
            if !rest.is_zero() {
                pause(rest).await;
            }
        }
    }

    /// Takes in what became of a question, and starts and ends what the server says.
    fn hear(
        self: &Arc<Self>,
        life: Life,
        question: &Question,
        answer: Result<WorkerOrders, Unanswered>,
        sent_ms: u64,
    ) -> Heard {
        let mut hands = self.hands();
        let mut heard = hands.book.heard(question, answer, sent_ms, boot_ms());
        let Heard::Orders { starts, ends, .. } = &mut heard else { return heard };
        for run in std::mem::take(starts) {
            let (tell, stop) = watch::channel(Stop::No);
            hands.tells.insert(WorkerHolding { run: run.run.clone(), attempt: run.attempt }, (life, tell));
            let silence = run.shared.then(|| hands.book.silence());
            self.spawn(Arc::clone(self).attempt(life, run, stop, silence));
        }
        hands.tell(ends, Stop::Cancel);
        heard
    }

    /// Executes one attempt, until its end is in the journal and on its way.
    async fn attempt(
        self: Arc<Self>,
        life: Life,
        run: WorkerRun,
        stop: watch::Receiver<Stop>,
        silence: Option<Silence>,
    ) {
        let holding = WorkerHolding { run: run.run.clone(), attempt: run.attempt };
        let log = Log::new(life, holding.clone(), self.outbox.clone());
        let end = self.executor.execute(Arc::new(run), stop, log.clone(), silence).await;
        let end = {
            let mut hands = self.hands();
            if hands.tells.get(&holding).is_some_and(|(of, _)| *of == life) {
                hands.tells.remove(&holding);
            }
            hands.book.ended(life, end).map(|end| (Arc::clone(&hands.id), end))
        };
        self.note_change();
        let Some((worker, end)) = end else { return };
        self.kept(worker, &end).await;
        log.close().await;
        self.outbox.end(life, end);
    }

    /// Waits until an end is in the journal, if there is one.
    async fn kept(&self, worker: Arc<str>, end: &WorkerEnd) {
        if self.journal.is_some() {
            let (done, is_done) = oneshot::channel();
            let _closed = self.keeping.send((worker, end.clone(), done));
            let _dropped = is_done.await;
        }
    }

    /// Keeps ends in the journal, for ever: those that wait go to the disk together.
    async fn keep(self: Arc<Self>, mut incoming: mpsc::UnboundedReceiver<Keep>) {
        let mut waiting = Vec::new();
        while incoming.recv_many(&mut waiting, KEPT_AT_ONCE).await > 0 {
            self.in_journal("keep ends in", |journal| {
                journal.keep(waiting.iter().map(|(worker, end, _)| (&**worker, end)))
            });
            waiting.drain(..).for_each(|(_, _, done)| _ = done.send(()));
        }
    }

    /// Reports what is in the outbox, for ever.
    async fn report(self: Arc<Self>, mut outbox: Outbox) {
        while let Some(batch) = outbox.batch().await {
            if let Err(error) = self.deliver(&batch).await {
                self.deliver_each(batch, &error).await;
            }
        }
    }

    /// Sends a batch until it is answered, or its life is over.
    ///
    /// # Errors
    /// The server refuses something in it, and will for ever.
    async fn deliver(&self, batch: &Batch) -> Result<(), Trouble> {
        let id = {
            let hands = self.hands();
            if !hands.book.lives(batch.life) {
                return Ok(());
            }
            Arc::clone(&hands.id)
        };
        let mut sent_ms = 0;
        let send = || {
            sent_ms = boot_ms();
            self.send_report(&id, batch.report())
        };
        match self.persist("report", send).await {
            Ok(receipt) => {
                for refused in &receipt.refused {
                    tracing::warn!(
                        run.id = refused.run,
                        attempt = refused.attempt,
                        "the end of an attempt was refused"
                    );
                }
                {
                    let mut hands = self.hands();
                    hands.book.answered(sent_ms);
                    hands.book.settled(batch.life, batch.ends());
                }
                self.note_change();
                self.in_journal("drop ends of", |journal| journal.drop_ends(batch.ends()));
                Ok(())
            }
            Err(Trouble::Dismissed) => {
                self.dismiss(batch.life);
                Ok(())
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Finds what a server refuses: a log line is left out, and an end says so in place of its output.
    async fn deliver_each(&self, batch: Batch, error: &Trouble) {
        tracing::error!(%error, items = batch.items.len(), "a report was refused; its parts are sent one by one");
        for item in batch.items {
            let mut single = Batch { life: batch.life, items: vec![item] };
            let Err(error) = self.deliver(&single).await else { continue };
            let Some(What::End(end)) = single.items.pop() else {
                tracing::error!(%error, "log lines were refused and are left out");
                continue;
            };
            let bare = bare(end, &error);
            let mut backoff = Backoff::default();
            single.items.push(What::End(bare));
            while let Err(error) = self.deliver(&single).await {
                pause(backoff.after(&error, "report an end")).await;
            }
        }
    }

    /// Ends what others may be given, once nothing was heard for too long.
    async fn watch(self: Arc<Self>) {
        loop {
            let wait = {
                let mut hands = self.hands();
                let now_ms = boot_ms();
                let ends = hands.book.give_up(now_ms);
                if !ends.is_empty() {
                    tracing::error!(
                        runs = ends.len(),
                        "nothing heard from a server for too long; ending what others may be given"
                    );
                    hands.tell(&ends, Stop::GiveUp);
                }
                hands.book.gives_up_at().map_or(WATCH_EVERY_MS, |at| at.saturating_sub(now_ms).clamp(1, WATCH_EVERY_MS))
            };
            pause(Duration::from_millis(wait)).await;
        }
    }

    /// Ends everything of an incarnation that the server no longer knows; nothing of it is reported.
    fn dismiss(&self, life: Life) {
        {
            let mut hands = self.hands();
            if !hands.book.dismissed(life) {
                return;
            }
            tracing::error!(worker.id = &*hands.id, busy = hands.book.busy(), "taken for dead; ending everything");
            let of_life = hands.tells.values().filter(|(of, _)| *of == life);
            of_life.for_each(|(_, tell)| _ = tell.send_replace(Stop::GiveUp));
        }
        self.in_journal("clear", Journal::clear);
        self.note_change();
    }

    /// Says goodbye. If nobody hears it, the next process of this worker says so.
    async fn leave(&self) {
        let id = self.id();
        let left = tokio::time::timeout(LEAVE_TIMEOUT, self.send_leave(&id)).await;
        match left {
            Ok(Ok(()) | Err(Trouble::Dismissed)) => {
                tracing::info!(worker.id = &*id, "left");
                self.in_journal("clear", Journal::clear);
            }
            Ok(Err(error)) => tracing::warn!(%error, "cannot leave in order"),
            Err(_) => tracing::warn!("cannot leave in order: no answer"),
        }
    }

    async fn send_poll(&self, id: &str, poll: WorkerPoll, tells_time: bool) -> Result<WorkerOrders, Trouble> {
        let poll = WorkerPoll { now: tells_time.then(now), ..poll };
        let (hold, limit) = {
            let book = &self.hands().book;
            (book.hold_ms(&poll), book.patience_ms(&poll, boot_ms()))
        };
        let (hold, limit) = (Duration::from_millis(hold), Duration::from_millis(limit));
        self.link.ask_within(limit, |client| async move { client.poll_worker(id, &poll, hold).await }).await
    }

    async fn send_report(&self, id: &str, report: WorkerReport) -> Result<WorkerReceipt, Trouble> {
        self.link.ask(|client| async move { client.report_worker(id, &report).await }).await
    }

    async fn send_leave(&self, id: &str) -> Result<(), Trouble> {
        self.link.ask(|client| async move { client.leave_worker(id).await }).await
    }

    /// Repeats a request until it is answered, refused or denied.
    async fn repeat<T, Fut>(&self, what: &'static str, request: impl FnMut() -> Fut) -> Result<T, Trouble>
    where
        Fut: Future<Output = Result<T, Trouble>>,
    {
        self.again(what, false, request).await
    }

    /// Repeats a request until it is answered or refused: a token that opens nothing may be mended.
    async fn persist<T, Fut>(&self, what: &'static str, request: impl FnMut() -> Fut) -> Result<T, Trouble>
    where
        Fut: Future<Output = Result<T, Trouble>>,
    {
        self.again(what, true, request).await
    }

    async fn again<T, Fut>(
        &self,
        what: &'static str,
        denied_too: bool,
        mut request: impl FnMut() -> Fut,
    ) -> Result<T, Trouble>
    where
        Fut: Future<Output = Result<T, Trouble>>,
    {
        let mut backoff = Backoff::default();
        loop {
            let trouble = match request().await {
                Ok(answer) => {
                    backoff.over(what);
                    return Ok(answer);
                }
                Err(trouble @ (Trouble::Passing(_) | Trouble::Stale | Trouble::Late)) => trouble,
                Err(trouble @ Trouble::Denied(_)) if denied_too => trouble,
                Err(trouble) => return Err(trouble),
            };
            pause(backoff.after(&trouble, what)).await;
        }
    }

    /// Waits until the book is in some state.
    async fn until(&self, wanted: impl Fn(&Book) -> bool) {
        let mut changed = self.changed.subscribe();
        while !wanted(&self.hands().book) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    fn note_change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Works on the journal, if there is one. One that cannot be written is told of, and does without.
    fn in_journal(&self, what: &str, work: impl FnOnce(&mut Journal) -> std::io::Result<()>) {
        let Some(journal) = &self.journal else { return };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = blocking(|| work(&mut journal)) {
            tracing::error!(%error, "cannot {what} the journal");
        }
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the disk without holding up other tasks, where the runtime has more than one thread.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::current().runtime_flavor() {
        tokio::runtime::RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Ends in portions for one report each: so many, and so large.
fn portions(ends: &[WorkerEnd]) -> Vec<&[WorkerEnd]> {
    let mut portions = Vec::new();
    let mut rest = ends;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take(LEGACY_ENDS).take_while(|end| {
            bytes += end_bytes(end);
            bytes <= REPORT_BYTES
        });
        let (portion, others) = rest.split_at(fits.count().max(1));
        portions.push(portion);
        rest = others;
    }
    portions
}

/// Returns the end of an attempt without the parts that may be wrong.
fn bare(end: WorkerEnd, error: &Trouble) -> WorkerEnd {
    WorkerEnd {
        outcome: if end.outcome == AttemptState::Succeeded { AttemptState::Failed } else { end.outcome },
        error_code: Some("worker.report_refused".to_owned()),
        error: Some(format!("the server refused the report of this end: {error}")),
        output: None,
        data: None,
        exit_code: end.exit_code,
        signal: end.signal,
        ..end
    }
}
