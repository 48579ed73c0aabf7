//! The triggers of the window, in memory, and the wheel that says when each is due.

use std::sync::Arc;

use mainspring_schedule::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::due::Due;
use crate::batch::{Progress, TriggerRow};
use crate::cluster::{Shard, ShardSet};
use crate::id::{JobId, JobVersion, TriggerId};
use crate::rule::{Loaded, Rule};
use crate::wheel::Wheel;

/// A place in the slab of residents, and which of its tenants is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) index: u32,
    generation: u32,
}

#[derive(Debug)]
pub(super) struct Resident {
    pub(super) id: TriggerId,
    pub(super) job: JobId,
    pub(super) shard: Shard,
    pub(super) job_version: JobVersion,
    pub(super) version: i64,
    pub(super) progress: Progress,
    pub(super) rule: Arc<Rule>,
    /// Something changed while a batch was under way: read it again when that is back.
    dirty: bool,
    in_flight: bool,
    /// How often its evaluation has panicked.
    panics: u8,
}

#[derive(Debug)]
pub(super) struct Residents {
    wheel: Wheel<Place>,
    slab: Vec<(u32, Option<Resident>)>,
    vacant: Vec<u32>,
    by_id: FxHashMap<TriggerId, u32>,
    blocked: FxHashMap<JobId, Vec<Place>>,
    expired: Vec<Place>,
}

impl Residents {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            wheel: Wheel::new(now),
            slab: Vec::new(),
            vacant: Vec::new(),
            by_id: FxHashMap::default(),
            blocked: FxHashMap::default(),
            expired: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn next_wakeup(&self) -> Option<Timestamp> {
        self.wheel.next_wakeup()
    }

    pub(super) fn rewind(&mut self, now: Timestamp) {
        self.wheel.rewind(now);
    }

    /// Moves what is due by `now` into the line.
    pub(super) fn collect_due(&mut self, now: Timestamp, due: &mut Due) {
        self.wheel.advance(now, &mut self.expired);
        if self.expired.is_empty() {
            return;
        }
        let mut expired = std::mem::take(&mut self.expired);
        expired.retain(|place| self.find(*place).is_some());
        expired.sort_by_cached_key(|place| {
            let resident = self.find(*place).expect("just filtered");
            // The last of them goes first; batches are in order of ids.
            (resident.progress.due_at, resident.rule.priority, std::cmp::Reverse(resident.id))
        });
        due.take_in(&expired, now, self);
        expired.clear();
        self.expired = expired;
    }

    /// Whether memory is at least as fresh as a row of the window: the due index names residents by where they once were.
    pub(super) fn is_known(&self, loaded: &Loaded) -> bool {
        self.has(loaded.row.id, loaded.row.version)
    }

    /// Whether a trigger is in memory at that version, or a later one.
    pub(super) fn has(&self, id: TriggerId, version: i64) -> bool {
        let known = self.by_id.get(&id).and_then(|index| self.slab[*index as usize].1.as_ref());
        known.is_some_and(|known| known.version >= version)
    }

    /// Whether a trigger is in a batch, and read again when that is back.
    pub(super) fn is_awaited(&self, id: TriggerId) -> bool {
        let known = self.by_id.get(&id).and_then(|index| self.slab[*index as usize].1.as_ref());
        known.is_some_and(|known| known.dirty && known.in_flight)
    }

    /// Lets go of a trigger that is not due soon; one in a batch is read again when that is back.
    pub(super) fn leave(&mut self, id: TriggerId) {
        self.forget(&[id]);
    }

    /// Takes a trigger in, or replaces what is known of it. While a batch is under way, that is left for later.
    pub(super) fn keep(&mut self, loaded: Loaded, now: Timestamp) {
        let Loaded { row: TriggerRow { id, job, shard, job_version, version, progress, .. }, rule } = loaded;
        let Some(look_at) = rule.look_at(id, &progress, now) else {
            self.remove(id);
            return;
        };
        if let Some(index) = self.by_id.get(&id) {
            let known = self.slab[*index as usize].1.as_mut().expect("indexed residents exist");
            if known.in_flight {
                known.dirty = true;
                return;
            }
            self.remove(id);
        }
        let (dirty, in_flight, panics) = (false, false, 0);
        let resident = Resident { id, job, shard, job_version, version, progress, rule, dirty, in_flight, panics };
        let place = self.put(resident);
        self.wheel.insert(look_at, place);
    }

    /// Forgets triggers. Those in a batch are marked instead; the others are returned, to be read again.
    pub(super) fn forget(&mut self, ids: &[TriggerId]) -> Vec<TriggerId> {
        let mut seen = FxHashSet::default();
        ids.iter()
            .copied()
            .filter(|id| seen.insert(*id))
            .filter(|id| match self.by_id.get(id) {
                Some(index) => {
                    let resident = self.slab[*index as usize].1.as_mut().expect("indexed residents exist");
                    resident.dirty = true;
                    let idle = !resident.in_flight;
                    if idle {
                        self.remove(*id);
                    }
                    idle
                }
                None => true,
            })
            .collect()
    }

    /// Forgets the triggers of shards. Those in a batch are marked instead.
    pub(super) fn give_up(&mut self, shards: ShardSet) {
        let residents = self.slab.iter().filter_map(|(_, resident)| resident.as_ref());
        let lost = residents.filter(|resident| shards.contains(resident.shard));
        let lost: Vec<TriggerId> = lost.map(|resident| resident.id).collect();
        self.forget(&lost);
        let mut blocked = std::mem::take(&mut self.blocked);
        blocked.retain(|_, places| {
            places.retain(|place| self.find(*place).is_some());
            !places.is_empty()
        });
        self.blocked = blocked;
    }

    /// The trigger at a place, unless another one moved in.
    pub(super) fn find(&self, place: Place) -> Option<&Resident> {
        let (generation, resident) = &self.slab[place.index as usize];
        resident.as_ref().filter(|_| *generation == place.generation)
    }

    /// Marks a trigger as part of a batch: until that is back, it is neither fired nor replaced.
    pub(super) fn depart(&mut self, place: Place) {
        self.at(place).in_flight = true;
    }

    /// Takes a trigger back from a batch; false if it has to be read again instead, and is gone.
    pub(super) fn come_back(&mut self, place: Place, progress: Option<Progress>) -> bool {
        let resident = self.at(place);
        resident.in_flight = false;
        let (id, dirty) = (resident.id, resident.dirty);
        if dirty {
            self.remove(id);
            return false;
        }
        if let Some(progress) = progress {
            resident.progress = progress;
        }
        true
    }

    /// Counts a panic. Which trigger it was, at which version, and how often it has been by now.
    pub(super) fn note_panic(&mut self, place: Place) -> Option<(TriggerId, i64, u8)> {
        let (generation, resident) = self.slab.get_mut(place.index as usize)?;
        let resident = resident.as_mut().filter(|_| *generation == place.generation)?;
        resident.panics = resident.panics.saturating_add(1);
        Some((resident.id, resident.version, resident.panics))
    }

    /// Puts a trigger back into the wheel.
    pub(super) fn arm(&mut self, place: Place, due_at: Timestamp) {
        self.wheel.insert(due_at, place);
    }

    /// Lets a trigger wait for a slot of its job.
    pub(super) fn block(&mut self, place: Place) {
        let job = self.at(place).job;
        self.blocked.entry(job).or_default().push(place);
    }

    /// Triggers that waited for a slot of the job.
    pub(super) fn unblock(&mut self, job: JobId) -> Vec<Place> {
        self.blocked.remove(&job).unwrap_or_default()
    }

    /// All triggers that wait for a slot, in order of their jobs.
    pub(super) fn unblock_all(&mut self) -> Vec<Place> {
        let mut jobs: Vec<(JobId, Vec<Place>)> = self.blocked.drain().collect();
        jobs.sort_unstable_by_key(|(job, _)| *job);
        jobs.into_iter().flat_map(|(_, places)| places).collect()
    }

    pub(super) fn remove(&mut self, id: TriggerId) {
        if let Some(index) = self.by_id.remove(&id) {
            let (generation, resident) = &mut self.slab[index as usize];
            *generation += 1;
            *resident = None;
            self.vacant.push(index);
        }
    }

    fn put(&mut self, resident: Resident) -> Place {
        let id = resident.id;
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.slab.push((0, None));
            u32::try_from(self.slab.len() - 1).expect("fewer than 2^32 triggers are due within seconds")
        });
        let (generation, room) = &mut self.slab[index as usize];
        *room = Some(resident);
        self.by_id.insert(id, index);
        Place { index, generation: *generation }
    }

    fn at(&mut self, place: Place) -> &mut Resident {
        let (generation, resident) = &mut self.slab[place.index as usize];
        assert_eq!(*generation, place.generation, "a trigger in a batch stays where it is");
        resident.as_mut().expect("a trigger in a batch stays where it is")
    }
}
