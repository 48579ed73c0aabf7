//! What a node does for one worker that talks to it: whether a poll is answered, with what, and whether runs are claimed for it.

use rustc_hash::FxHashSet;

use super::{CHECK_MS, Count, FRESH_MS, Hands, Held, Orders, Received, TTL_MS};
use crate::id::RunId;

/// One worker, as long as it is heard by this node and by no other.
///
/// What the worker has is in the store; this goes on from there, and is made anew whenever something may have happened elsewhere.
/// It is compared with the store from time to time as well ([`Self::check`]), and made anew where that found another state or was
/// not done: a claim may be carried out long after whoever sent it has given it up, and the answer that tells which runs are to end
/// may be lost. Such runs would be the worker's for ever, and nobody would execute or end them.
///
/// ```
/// use mainspring_core::workers::{Reception, Session};
/// let mut session = Session::new(4, 0);
/// assert_eq!(session.receive(10, 1, &[]), Reception::GoesOn);
/// assert_eq!(session.begin_claim(1, 3), Some(3));
/// assert_eq!(session.begin_claim(1, 3), None, "one claim at a time");
/// assert_eq!(session.receive(20, 3, &[]), Reception::Anew, "it has talked to another node");
/// ```
#[derive(Debug)]
pub struct Session {
    hands: Hands,
    /// Whether a claim is under way.
    claiming: bool,
    /// Whether another session takes its place: it claims nothing more.
    retired: bool,
    /// Whether its worker is taken for dead.
    gone: bool,
    /// Whether its worker is to be given nothing new.
    draining: bool,
    /// When what is here was last known to be what the store says.
    checked_ms: u64,
    heard_ms: u64,
    /// Polls that are held.
    polls: u32,
    /// Runs that are the worker's and whose definition cannot be read: they wait, and hold nobody up.
    unreadable: FxHashSet<RunId>,
    /// Runs whose end was asked for while a claim was under way, or that are unreadable: they may come yet.
    ended_early: Vec<RunId>,
}

/// What becomes of a poll that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// The session goes on.
    GoesOn,
    /// What is here may be wrong: the session retires, and one from what the store says takes its place.
    Anew,
    /// A newer poll was here before.
    Stale,
}

/// Why a poll is not answered with orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The worker was taken for dead.
    Gone,
    /// A newer poll has taken its place.
    Stale,
    /// The session is over: there is nothing to say, and the next poll begins another.
    Over,
}

impl Session {
    /// Of a worker that executes so many runs at a time, and that is heard now.
    #[must_use]
    pub fn new(slots: u32, now_ms: u64) -> Self {
        Self {
            hands: Hands::new(slots),
            claiming: false,
            retired: false,
            gone: false,
            draining: false,
            checked_ms: now_ms,
            heard_ms: now_ms,
            polls: 0,
            unreadable: FxHashSet::default(),
            ended_early: Vec::new(),
        }
    }

    // What is heard.

    /// Takes in a poll that names attempts.
    pub fn receive(&mut self, now_ms: u64, number: u64, named: &[(RunId, u32)]) -> Reception {
        let was_silent = self.silence_ms(now_ms) > FRESH_MS;
        let is_old = now_ms.saturating_sub(self.checked_ms) > CHECK_MS;
        let received = self.hands.poll(number, named);
        self.hear(now_ms);
        match received {
            Received::Stale => Reception::Stale,
            Received::GoesOn if !was_silent && !is_old && !self.is_over() => Reception::GoesOn,
            Received::GoesOn | Received::Unsure => Reception::Anew,
        }
    }

    /// Takes in what the store said the worker has, when it was asked then, in order of run.
    ///
    /// Where that is something else, a session from what the store says will take its place: a claim may just have been under way,
    /// so it costs a read and means nothing bad.
    pub fn check(&mut self, asked_ms: u64, held: &[Held]) {
        if self.hands.are(held) && self.unreadable.is_empty() {
            self.checked_ms = self.checked_ms.max(asked_ms);
        }
    }

    /// Takes in what the store says of its worker, which was there when the session began, as it is counted up: nothing, if it is
    /// gone. Says whether its polls are to be looked at.
    ///
    /// Where the row names another node, that one has answered the worker since, maybe a request of long ago, and may have claimed runs
    /// for it: the session retires.
    pub fn counted(&mut self, count: Option<Count>) -> bool {
        match count {
            Some(count) if count.here => return self.drain(count.draining),
            Some(_) => self.retire(),
            None => self.bury(),
        }
        true
    }

    /// Notes that something was heard.
    pub fn hear(&mut self, now_ms: u64) {
        self.heard_ms = self.heard_ms.max(now_ms);
    }

    /// A poll is held from now on.
    pub fn hold(&mut self) {
        self.polls += 1;
    }

    /// A poll is held no more. Whoever waited for an answer was there until now.
    pub fn release(&mut self, now_ms: u64) {
        self.hear(now_ms);
        self.polls = self.polls.saturating_sub(1);
    }

    /// Whether a poll is held.
    #[must_use]
    pub const fn is_polling(&self) -> bool {
        self.polls > 0
    }

    /// For how long nothing was heard of the worker.
    #[must_use]
    pub const fn silence_ms(&self, now_ms: u64) -> u64 {
        if self.is_polling() { 0 } else { now_ms.saturating_sub(self.heard_ms) }
    }

    /// Whether the worker is to be counted up, if the last count was sent then: it was heard since, however long that is ago.
    #[must_use]
    pub const fn counts(&self, now_ms: u64, counted_ms: u64) -> bool {
        self.silence_ms(now_ms) <= now_ms.saturating_sub(counted_ms)
    }

    /// Whether the session is worth keeping: its worker may come back to this node.
    #[must_use]
    pub const fn is_kept(&self, now_ms: u64) -> bool {
        self.silence_ms(now_ms) < TTL_MS || self.claiming
    }

    // What is answered.

    /// What to answer a poll now, if anything.
    ///
    /// # Errors
    /// It gets no orders, now or later.
    pub fn orders(&mut self, now_ms: u64, number: u64, named: &[(RunId, u32)]) -> Result<Orders, Refusal> {
        if self.gone {
            return Err(Refusal::Gone);
        }
        if !self.hands.is_newest(number) {
            return Err(Refusal::Stale);
        }
        if self.retired {
            return Err(Refusal::Over);
        }
        Ok(self.hands.orders(now_ms, named))
    }

    /// Has nothing new be claimed, or takes that back. Says whether that is a change.
    pub const fn drain(&mut self, draining: bool) -> bool {
        let changes = self.draining != draining;
        self.draining = draining;
        changes
    }

    /// Whether nothing new is claimed.
    #[must_use]
    pub const fn is_draining(&self) -> bool {
        self.draining
    }

    /// Another session takes its place: it claims nothing more, and answers no poll.
    pub fn retire(&mut self) {
        self.retired = true;
    }

    /// The worker is taken for dead.
    pub fn bury(&mut self) {
        self.gone = true;
    }

    /// Takes the place of another session: ends that were asked of that one, while this one was read, count here too.
    pub fn replace(&mut self, before: &mut Self) {
        before.retire();
        self.draining = before.draining;
        before.hands.ending().for_each(|run| _ = self.hands.end(run));
    }

    /// Whether it gives out nothing more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.gone || self.retired
    }

    // What is claimed.

    /// Begins a claim for a poll that asks for so many runs, if none is under way and the worker takes any. Answers for how many.
    pub fn begin_claim(&mut self, number: u64, asked: u32) -> Option<u32> {
        let waiting = u32::try_from(self.unreadable.len()).unwrap_or(u32::MAX);
        let free = self.hands.free(asked).saturating_sub(waiting);
        if free == 0 || self.claiming || self.retired || self.draining || !self.hands.is_newest(number) {
            return None;
        }
        self.claiming = true;
        Some(free)
    }

    /// What was claimed is here, or nothing was.
    pub fn end_claim(&mut self) {
        self.claiming = false;
        let unreadable = &self.unreadable;
        self.ended_early.retain(|run| unreadable.contains(run));
    }

    /// Whether a claim is under way.
    #[must_use]
    pub const fn is_claiming(&self) -> bool {
        self.claiming
    }

    /// Puts an attempt that is recorded as the worker's into its hands.
    pub fn give(&mut self, run: RunId, attempt: u32, ends: bool) {
        let ends = ends || self.ended_early.contains(&run);
        self.hands.give(run, attempt, ends);
        self.withhold(run);
    }

    /// An attempt ends without having been given.
    pub fn withhold(&mut self, run: RunId) {
        if self.unreadable.remove(&run) {
            self.ended_early.retain(|ended| *ended != run);
        }
    }

    /// An attempt is the worker's, and cannot be given yet as its definition is unreadable.
    pub fn put_off(&mut self, run: RunId) {
        self.unreadable.insert(run);
    }

    /// Asks for the end of a run. False: it is not here, as far as is known yet, or somebody else may have it by now.
    pub fn end(&mut self, run: RunId) -> bool {
        // Also if it is over: the one that takes its place goes by what was asked for here.
        let here = self.hands.end(run) && !self.is_over();
        if !here && (self.claiming || self.unreadable.contains(&run)) {
            self.ended_early.push(run);
        }
        here
    }

    /// Whether an attempt is in the worker's hands.
    #[must_use]
    pub fn has(&self, run: RunId, attempt: u32) -> bool {
        self.hands.has(run, attempt)
    }

    /// Takes an attempt out that is over. False: it was not here.
    pub fn take(&mut self, run: RunId, attempt: u32) -> bool {
        let here = self.hands.has(run, attempt);
        self.hands.take(run, attempt);
        here
    }
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;

    use super::*;
    use crate::Incarnation;
    use crate::id::{JobId, RunSource};

    fn run(number: u64) -> RunId {
        RunId::new(Timestamp::from_millis(1_767_225_600_000), RunSource::Asked(JobId(1), number))
    }

    #[test]
    fn worker_that_was_silent_begins_anew_and_one_whose_poll_is_held_is_not_silent() {
        let mut session = Session::new(1, 0);
        assert_eq!(session.receive(FRESH_MS, 1, &[]), Reception::GoesOn);
        session.hold();
        assert_eq!(session.silence_ms(TTL_MS), 0);
        session.release(TTL_MS);
        assert_eq!(session.receive(TTL_MS + FRESH_MS, 2, &[]), Reception::GoesOn);
        assert_eq!(session.receive(TTL_MS + 2 * FRESH_MS + 1, 3, &[]), Reception::Anew);
        assert_eq!(session.receive(TTL_MS + 2 * FRESH_MS + 2, 3, &[]), Reception::Stale);
    }

    #[test]
    fn session_is_made_anew_from_time_to_time_and_where_its_successor_never_came() {
        let mut session = Session::new(1, 0);
        for number in 1..=CHECK_MS / 1_000 {
            assert_eq!(session.receive(number * 1_000, number, &[]), Reception::GoesOn);
        }
        assert_eq!(session.receive(CHECK_MS + 1, CHECK_MS, &[]), Reception::Anew);
        let mut session = Session::new(1, 0);
        session.receive(0, 1, &[]);
        session.retire();
        assert_eq!(session.receive(1, 2, &[]), Reception::Anew, "the store could not be asked");
    }

    #[test]
    fn session_that_has_what_the_store_says_goes_on_and_any_other_is_made_anew() {
        let held = |run, attempt, ends| Held { worker: Incarnation(1), run, attempt, ends };
        let (mine, late) = (held(run(1), 1, false), held(run(2), 1, false));
        let goes_on = |said: &[Held]| {
            let mut session = Session::new(4, 0);
            session.receive(0, 1, &[]);
            session.give(run(1), 1, false);
            session.check(CHECK_MS, said);
            session.hold();
            session.release(CHECK_MS + 1);
            session.receive(CHECK_MS + 1, 2, &[(run(1), 1)]) == Reception::GoesOn
        };
        assert!(goes_on(&[mine]));
        assert!(!goes_on(&[]) && !goes_on(&[mine, late]), "an end, or a claim, of which nobody has heard");
        assert!(!goes_on(&[held(run(1), 2, false)]) && !goes_on(&[held(run(1), 1, true)]));
    }

    #[test]
    fn session_whose_worker_another_node_has_answered_since_or_that_is_gone_is_over() {
        let after = |count: Option<bool>| {
            let mut session = Session::new(1, 0);
            session.receive(0, 1, &[]);
            let count = count.map(|here| Count { worker: Incarnation(1), counter: 7, here, draining: false });
            (session.counted(count), session.orders(0, 1, &[]), session.receive(1, 2, &[]))
        };
        assert_eq!(after(Some(true)), (false, Ok(Orders::default()), Reception::GoesOn));
        assert_eq!(after(Some(false)), (true, Err(Refusal::Over), Reception::Anew));
        assert_eq!(after(None), (true, Err(Refusal::Gone), Reception::Anew));
    }

    #[test]
    fn nothing_is_claimed_for_a_worker_that_drains() {
        let mut session = Session::new(4, 0);
        session.receive(0, 1, &[]);
        let count = |draining| Some(Count { worker: Incarnation(1), counter: 7, here: true, draining });
        assert!(session.counted(count(true)) && !session.counted(count(true)), "its polls are looked at once");
        assert_eq!(session.begin_claim(1, 2), None);
        let mut successor = Session::new(4, 0);
        successor.replace(&mut session);
        successor.receive(1, 2, &[]);
        assert_eq!(successor.begin_claim(2, 2), None, "also by the session after");
        assert!(successor.counted(count(false)));
        assert_eq!(successor.begin_claim(2, 2), Some(2));
    }

    #[test]
    fn whoever_was_heard_since_the_last_count_is_counted_however_long_that_is_ago() {
        let mut session = Session::new(1, 0);
        session.hear(1_000);
        assert!(session.counts(60_000, 900) && session.counts(60_000, 1_000) && !session.counts(60_000, 1_001));
        assert!(session.is_kept(1_000 + TTL_MS - 1) && !session.is_kept(1_000 + TTL_MS));
        session.receive(2_000, 1, &[]);
        assert_eq!(session.begin_claim(1, 1), Some(1));
        assert!(session.is_kept(u64::MAX), "what is claimed will be here");
    }

    #[test]
    fn poll_gets_no_orders_once_another_has_taken_its_place() {
        let mut session = Session::new(2, 0);
        session.receive(0, 1, &[]);
        session.give(run(1), 1, false);
        assert_eq!(session.orders(0, 1, &[]).map(|orders| orders.give), Ok(vec![(run(1), 1)]));
        session.receive(0, 2, &[(run(1), 1)]);
        assert_eq!(session.orders(0, 1, &[]), Err(Refusal::Stale));
        session.retire();
        assert_eq!((session.orders(0, 2, &[]), session.begin_claim(2, 1)), (Err(Refusal::Over), None));
        assert_eq!(session.orders(0, 1, &[]), Err(Refusal::Stale));
        session.bury();
        assert_eq!(session.orders(0, 2, &[]), Err(Refusal::Gone));
    }

    #[test]
    fn end_that_was_asked_for_while_the_next_session_was_read_counts_there() {
        let mut sessions = [0, 1].map(|now_ms| Session::new(3, now_ms));
        let [before, after] = &mut sessions;
        before.give(run(1), 1, false);
        before.give(run(2), 1, false);
        after.give(run(1), 1, false);
        assert!(before.end(run(1)) && before.end(run(2)));
        before.give(run(3), 1, false);
        after.give(run(3), 1, false);
        before.retire();
        assert!(!before.end(run(3)), "it is over: another may have the run");
        after.replace(before);
        after.receive(1, 1, &[]);
        let named = [(run(1), 1), (run(3), 1)];
        assert_eq!(after.orders(1, 1, &named).map(|orders| orders.end), Ok(vec![run(1), run(3)]));
        assert!(before.is_over() && !after.has(run(2), 1));
    }

    #[test]
    fn run_whose_end_was_asked_for_before_it_came_is_to_end_when_it_does() {
        let mut session = Session::new(3, 0);
        session.receive(0, 1, &[]);
        assert!(!session.end(run(1)), "nothing is on its way");
        assert_eq!(session.begin_claim(1, 3), Some(3));
        assert!(!session.end(run(2)) && !session.end(run(3)));
        session.give(run(2), 1, false);
        session.put_off(run(3));
        session.end_claim();
        assert_eq!(session.begin_claim(1, 3), Some(1), "one is here, and one waits");
        session.give(run(3), 1, false);
        session.end_claim();
        let named = [(run(2), 1), (run(3), 1)];
        assert_eq!(session.orders(0, 1, &named).map(|orders| orders.end.len()), Ok(2));
    }
}
