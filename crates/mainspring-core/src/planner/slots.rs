//! The slots of this node's own pool, and the queued and scheduled runs that want them.

use mainspring_schedule::Timestamp;

use crate::batch::Released;

#[derive(Debug)]
pub(super) struct Slots {
    total: u32,
    taken: u32,
    /// Whether queued runs may be there that nobody has claimed.
    pub(super) backlog: bool,
    claiming: u32,
    claims_sent: u64,
    releasing: bool,
    /// When the next scheduled run is due, as far as known.
    next_release: Option<Timestamp>,
}

impl Slots {
    /// Queued and scheduled runs may be there from an earlier process: both are asked for at once.
    pub(super) const fn new(total: u32) -> Self {
        let (taken, claiming, claims_sent) = (0, 0, 0);
        Self {
            total,
            taken,
            backlog: true,
            claiming,
            claims_sent,
            releasing: false,
            next_release: Some(Timestamp::MIN),
        }
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

    /// Keeps a slot for a fire, unless queued runs come first.
    pub(super) const fn take(&mut self) -> bool {
        let free = self.taken < self.total && !self.backlog;
        self.taken += free as u32;
        free
    }

    /// A run that waits for a worker is there; a free slot asks for it.
    pub(super) const fn queued(&mut self) {
        self.backlog = true;
    }

    pub(super) fn free(&mut self, count: u32) {
        self.taken = self.taken.checked_sub(count).expect("a slot is freed once");
    }

    pub(super) fn schedule(&mut self, at: Timestamp) {
        self.next_release = Some(self.next_release.map_or(at, |next| next.min(at)));
    }

    pub(super) fn next_release_at(&self) -> Option<Timestamp> {
        self.next_release.filter(|_| !self.releasing)
    }

    pub(super) fn claimed(&mut self, count: usize) {
        let count = u32::try_from(count).expect("not more than asked for");
        // What was queued since the claim was sent may be missing from its answer: then `backlog` says so already.
        self.backlog |= count == self.claiming;
        let unused = std::mem::take(&mut self.claiming) - count;
        self.free(unused);
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

    /// How many queued runs to ask for, if there may be some and slots are free. They are kept until the answer is there:
    /// one claim is under way at a time.
    pub(super) fn ask_claim(&mut self) -> Option<u32> {
        let free = self.total - self.taken;
        if !self.backlog || self.claiming > 0 || free == 0 {
            return None;
        }
        self.backlog = false;
        self.claiming = free;
        self.claims_sent += 1;
        self.taken = self.total;
        Some(free)
    }
}
