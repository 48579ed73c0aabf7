//! The slots of this node's own pool, and the queued and scheduled runs that want them.

use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

use crate::batch::{Queues, Released};
use crate::id::JobId;
use crate::lane::{JobLane, Lane, Lanes, Take, claim_of};

#[derive(Debug)]
pub(super) struct Slots {
    total: u32,
    taken: u32,
    /// Whether queued runs may be there that nobody has claimed.
    pub(super) backlog: bool,
    /// Slots kept for the claim that is under way, and which runs the last one takes.
    claiming: u32,
    takes: Take,
    claims_sent: u64,
    releasing: bool,
    /// When the next scheduled run is due, as far as known.
    next_release: Option<Timestamp>,
    share: Share,
}

/// How many slots runs of jobs take that are not known to be short, and how many they may.
#[derive(Debug, Default)]
struct Share {
    /// What is known of jobs; absent where nobody says.
    lanes: Option<Lanes>,
    /// The runs that hold a slot, by their jobs.
    running: FxHashMap<JobId, u32>,
    slow: u32,
    slow_max: u32,
    /// Whether queued runs may be there that did not fit into the share.
    kept_back: bool,
    /// Whether the last claim asked for fewer runs than there were free slots, since any of them might have been of the share.
    cut: bool,
    /// Whether it got all of them, as [`claim_of`] has to know.
    short_next: bool,
}

impl Share {
    fn counts(&self, job: JobId) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| !lanes.is_short(job))
    }

    /// How many more slots runs of jobs may take that are not known to be short.
    fn room(&self) -> u32 {
        self.lanes.as_ref().map_or(u32::MAX, |_| self.slow_max.saturating_sub(self.slow))
    }

    fn enter(&mut self, job: JobId) {
        *self.running.entry(job).or_default() += 1;
        self.slow += u32::from(self.counts(job));
    }

    fn leave(&mut self, job: JobId) {
        let count = self.running.get_mut(&job).expect("it has entered");
        *count -= 1;
        if *count == 0 {
            self.running.remove(&job);
        }
        self.slow -= u32::from(self.counts(job));
    }
}

impl Slots {
    /// Queued and scheduled runs may be there from an earlier process: both are asked for at once.
    pub(super) fn new(total: u32) -> Self {
        let (taken, claiming, claims_sent) = (0, 0, 0);
        Self {
            total,
            taken,
            backlog: true,
            claiming,
            takes: Take::Any,
            claims_sent,
            releasing: false,
            next_release: Some(Timestamp::MIN),
            share: Share::default(),
        }
    }

    /// Learns of jobs, of which runs are taken from these queues.
    pub(super) fn learn(&mut self, jobs: Vec<JobLane>, queues: &Queues) {
        let lanes = self.share.lanes.get_or_insert_default();
        jobs.into_iter().for_each(|job| lanes.learn(job));
        self.share.slow_max = lanes.slow_max(queues, self.total);
        let slow = self.share.running.iter().filter(|(job, _)| !lanes.is_short(**job));
        self.share.slow = slow.map(|(_, count)| count).sum();
        self.backlog = true;
    }

    /// Whether a new run of a job is to wait beside those of short ones: it is known to be slow, or nothing is known and it
    /// `waits`.
    pub(super) fn is_slow(&self, job: JobId, waits: bool) -> bool {
        let Some(lanes) = &self.share.lanes else { return false };
        lanes.of(job).map_or(waits, |known| known.lane == Lane::Slow)
    }

    /// How many claims were sent.
    pub(super) const fn claims_sent(&self) -> u64 {
        self.claims_sent
    }

    /// How many of them were answered. One is under way at a time.
    pub(super) const fn claims_answered(&self) -> u64 {
        self.claims_sent - (self.claiming > 0) as u64
    }

    pub(super) const fn total(&self) -> u32 {
        self.total
    }

    pub(super) const fn running(&self) -> u32 {
        self.taken - self.claiming
    }

    /// Whether nothing runs, and no claim is under way.
    pub(super) const fn is_idle(&self) -> bool {
        self.taken == 0
    }

    /// Keeps a slot for a fire of a job, unless queued runs come first or it does not fit into its share.
    pub(super) fn take(&mut self, job: JobId) -> bool {
        let free = self.taken < self.total && !self.backlog && self.fits(job);
        if free {
            self.taken += 1;
            self.share.enter(job);
        }
        free
    }

    fn fits(&self, job: JobId) -> bool {
        let claiming = if self.takes == Take::Any { self.claiming } else { 0 };
        !self.share.counts(job) || self.share.room() > claiming
    }

    /// A run that waits for a worker is there; a free slot asks for it.
    pub(super) const fn queued(&mut self) {
        self.backlog = true;
    }

    /// A run of a job waits; a slot asks for it that it may have.
    pub(super) fn queued_of(&mut self, job: JobId) {
        if self.share.counts(job) && self.share.room() == 0 {
            self.share.kept_back = true;
        } else {
            self.backlog = true;
        }
    }

    /// A run of a job gives its slot back.
    pub(super) fn free(&mut self, job: JobId) {
        self.share.leave(job);
        self.give_back(1);
        if self.share.kept_back && self.share.room() > 0 {
            self.share.kept_back = false;
            self.backlog = true;
        }
    }

    fn give_back(&mut self, count: u32) {
        self.taken = self.taken.checked_sub(count).expect("a slot is freed once");
    }

    pub(super) fn schedule(&mut self, at: Timestamp) {
        self.next_release = Some(self.next_release.map_or(at, |next| next.min(at)));
    }

    pub(super) fn next_release_at(&self) -> Option<Timestamp> {
        self.next_release.filter(|_| !self.releasing)
    }

    pub(super) fn claimed(&mut self, jobs: impl ExactSizeIterator<Item = JobId>) {
        let count = u32::try_from(jobs.len()).expect("not more than asked for");
        // What was queued since the claim was sent may be missing from its answer: then `backlog` says so already.
        let full = count == self.claiming;
        self.backlog |= full;
        self.share.short_next = self.share.cut && full;
        let unused = std::mem::take(&mut self.claiming) - count;
        jobs.for_each(|job| self.share.enter(job));
        self.give_back(unused);
        if self.takes == Take::Short {
            // What was left out may fit by now.
            let fits = self.share.room() > 0;
            self.backlog |= fits;
            self.share.kept_back = !fits;
        }
    }

    pub(super) fn released(&mut self, released: Released) {
        self.releasing = false;
        // Ends free slots of jobs, which others take.
        self.backlog |= released.count + released.expired > 0;
        if let Some(at) = released.next_at {
            self.schedule(at);
        }
    }

    /// Whether scheduled runs are to be asked for, which is then under way.
    pub(super) fn ask_release(&mut self, now: Timestamp) -> bool {
        let due = self.next_release_at().is_some_and(|at| at <= now);
        if due {
            self.releasing = true;
            self.next_release = None;
        }
        due
    }

    /// How many queued runs to ask for and which, if there may be some and slots are free. They are kept until the answer is there:
    /// one claim is under way at a time.
    pub(super) fn ask_claim(&mut self) -> Option<(u32, Take)> {
        let free = self.total - self.taken;
        if !self.backlog || self.claiming > 0 || free == 0 {
            return None;
        }
        let (count, takes) = claim_of(free, self.share.room(), self.share.short_next);
        (self.share.cut, self.share.short_next) = (count < free, false);
        self.backlog = false;
        (self.claiming, self.takes) = (count, takes);
        self.claims_sent += 1;
        self.taken += count;
        Some((count, takes))
    }
}
