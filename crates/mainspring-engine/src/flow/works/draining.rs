//! A node that stops: it begins no bodies, and waits until what those that run come to is kept.

use mainspring_core::flow::Ticket;

use super::super::body::Told;
use super::super::{Reply, Request};
use super::Works;

/// Whether the node stops, and who waits for its bodies.
#[derive(Default)]
pub(super) struct Draining {
    begun: bool,
    waiting: Vec<Reply<()>>,
}

impl Draining {
    pub(super) const fn begin(&mut self) {
        self.begun = true;
    }

    pub(super) fn wait(&mut self, reply: Reply<()>) {
        self.waiting.push(reply);
    }
}

impl Request {
    /// Whether it is heard also while flows are being read.
    pub(super) const fn is_of_the_end(&self) -> bool {
        matches!(self, Self::Drain | Self::Drained(_) | Self::EndBodies)
    }
}

impl Works {
    /// Who may begin a body next.
    pub(super) fn next_ticket(&mut self) -> Option<Ticket> {
        if self.draining.begun { None } else { self.pools.next_ticket() }
    }

    /// Answers who waits once no body runs and nothing is to be kept.
    pub(super) fn look_whether_drained(&mut self) {
        if self.draining.waiting.is_empty() {
            return;
        }
        let is_idle = |it: &super::Running| it.bodies.is_empty() && it.pending.is_empty() && !it.is_writing;
        if self.flows.values().all(is_idle) {
            self.draining.waiting.drain(..).for_each(|reply| drop(reply.send(Ok(()))));
        }
    }

    /// Tells all bodies to end.
    pub(super) fn end_bodies(&self) {
        let bodies = self.flows.values().flat_map(|it| it.bodies.values());
        bodies.for_each(|body| Told::GivenUp.end(body));
    }
}
