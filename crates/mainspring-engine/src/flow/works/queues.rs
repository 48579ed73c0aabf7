//! What people do to queues of flows: drop items, and let them go back.

use mainspring_core::flow::{ItemId, Now};
use mainspring_store::ItemWrite;

use super::super::running::Pending;
use super::super::{FlowError, Name, Replay, Reply};
use super::{Works, named};

impl Works {
    pub(super) fn drop_items(&mut self, name: &Name, connection: &str, only: Option<&[ItemId]>, reply: Reply<u64>) {
        let now = self.now();
        let found = named(&mut self.flows, name);
        match found.and_then(|running| running.connection(connection).map(|connection| (running, connection))) {
            Ok((running, connection)) => {
                running.touch(&self.changes);
                let gone = running.machine.drop_items(connection, only, &mut self.pools, now);
                running.forget(&gone);
                let writes = gone.into_iter().map(|id| ItemWrite::Remove(id.0)).collect();
                running.pending.push(Pending::of(writes, Some(reply)));
            }
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Moves items, and answers of which flow what is to be kept.
    pub(super) fn replay(
        &mut self,
        name: &Name,
        replay: &Replay,
        now: Now,
    ) -> Result<(i64, Vec<ItemWrite>), FlowError> {
        let running = named(&mut self.flows, name)?;
        running.touch(&self.changes);
        let from = running.connection(&replay.from)?;
        let to = match &replay.to {
            Some(to) => running.connection(to)?,
            None => running.origin(from)?,
        };
        let moved = running.machine.replay(from, replay.only.as_deref(), to, &mut self.pools, now);
        Ok((running.row.id, running.moved(to, &moved, now)))
    }
}
