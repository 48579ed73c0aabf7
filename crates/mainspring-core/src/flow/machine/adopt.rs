//! Items that bodies on other nodes have made.

use super::accept::Room;
use super::pools::Pools;
use super::turns::{Content, Write};
use super::{Machine, Now};
use crate::flow::queue::{Header, ItemId};

impl Machine {
    /// Takes an item that waits in an inbox into a queue, under an id and a place of its own, and answers what is to be kept. Its room
    /// is reserved until the machine is told what came of that, by [`Machine::adopted`] or [`Machine::declined`]. `None`: there is no
    /// room.
    pub fn adopt(&mut self, connection: usize, item: Header) -> Option<Write> {
        let room = Room::of(&item);
        if !self.has_room(connection, room) {
            return None;
        }
        self.reserve(connection, room);
        let order = self.new_number();
        let item = Header { id: ItemId(order), order, ..item };
        Some(Write::Insert { connection, item, content: Content::Output(0) })
    }

    /// Puts items of a component into their queues that were adopted and are kept now. Bodies that made them were counted elsewhere.
    pub fn adopted(&mut self, component: usize, writes: Vec<Write>, pools: &mut Pools, now: Now) {
        let (items, bytes) = self.enter(writes, pools, now);
        self.components[component].view.received(items, bytes, now);
        self.advance(pools, now);
    }
}
