//! Who has a connection, and which one goes when there is no room for another.
//!
//! A connection is a *stranger's* until a request over it has shown a valid token or session. Strangers cost nothing to make, so the one that
//! has said nothing for longest goes first. Connections that have shown a token go only while nothing is asked over them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// From where connections come: an address of IPv4, or the /64 of IPv6 that one subscriber has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Source(IpAddr);

impl Source {
    /// The source that an address belongs to.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (!0 << 64))),
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => write!(f, "{address}"),
            IpAddr::V6(address) => write!(f, "{address}/64"),
        }
    }
}

/// The connections that may be closed, in the order in which they last said something.
#[derive(Debug)]
pub(crate) struct Seats {
    /// Connections of strangers that one source may have.
    strangers_max: usize,
    order: Mutex<Order>,
}

/// Closers of connections by the moment at which they last said something.
type Silent = BTreeMap<u64, Arc<Notify>>;

#[derive(Debug, Default)]
struct Order {
    moment: u64,
    strangers: HashMap<Source, Silent>,
    idle: Silent,
    /// Those with a spare place, whoever has them: closing one makes no room among the others.
    spare: Silent,
}

impl Seats {
    /// Seats for so many strangers of one source.
    pub(crate) fn new(strangers_max: usize) -> Arc<Self> {
        Arc::new(Self { strangers_max, order: Mutex::default() })
    }

    /// Seats a new connection. If its source has as many strangers as it may, the oldest of them goes, and true is returned.
    pub(crate) fn enter(self: &Arc<Self>, source: Source, is_spare: bool) -> (Arc<Seat>, bool) {
        let closes = {
            let mut order = self.order();
            let has_all = order.strangers.get(&source).is_some_and(|silent| silent.len() >= self.strangers_max);
            !is_spare && has_all && order.close_stranger(source)
        };
        let seat = Seat { seats: Arc::clone(self), source, is_spare, close: Arc::default(), state: Mutex::default() };
        seat.state().place = Some(self.order().sit_down(&seat, false));
        (Arc::new(seat), closes)
    }

    /// Closes the stranger that has been silent for longest or, without strangers, the idle connection that has. False: all are at work.
    pub(crate) fn make_room(&self) -> bool {
        let mut order = self.order();
        let longest = order
            .strangers
            .iter()
            .filter_map(|(source, silent)| Some((silent.keys().next()?, source)))
            .min_by_key(|it| it.0);
        match longest.map(|(_, source)| *source) {
            Some(source) => order.close_stranger(source),
            None => order.idle.pop_first().inspect(|(_, close)| close.notify_one()).is_some(),
        }
    }

    /// Closes the connection with a spare place that has been silent for longest. False: there is none.
    pub(crate) fn make_spare_room(&self) -> bool {
        self.order().spare.pop_first().inspect(|(_, close)| close.notify_one()).is_some()
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Order {
    fn sit_down(&mut self, seat: &Seat, is_known: bool) -> u64 {
        self.moment += 1;
        let silent = match (seat.is_spare, is_known) {
            (true, _) => &mut self.spare,
            (false, true) => &mut self.idle,
            (false, false) => self.strangers.entry(seat.source).or_default(),
        };
        silent.insert(self.moment, Arc::clone(&seat.close));
        self.moment
    }

    fn stand_up(&mut self, seat: &Seat, is_known: bool, place: u64) {
        if seat.is_spare {
            self.spare.remove(&place);
        } else if is_known {
            self.idle.remove(&place);
        } else if let Some(silent) = self.strangers.get_mut(&seat.source) {
            silent.remove(&place);
            if silent.is_empty() {
                self.strangers.remove(&seat.source);
            }
        }
    }

    fn close_stranger(&mut self, source: Source) -> bool {
        let Some(silent) = self.strangers.get_mut(&source) else { return false };
        let oldest = silent.pop_first();
        if silent.is_empty() {
            self.strangers.remove(&source);
        }
        oldest.inspect(|(_, close)| close.notify_one()).is_some()
    }
}

/// The place of one connection.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    /// From where it comes.
    pub(crate) source: Source,
    /// Whether it is one of those that are kept for health when all others are taken.
    pub(crate) is_spare: bool,
    close: Arc<Notify>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_known: bool,
    /// Requests under way.
    asking: usize,
    /// Its place in the order, while it may be closed.
    place: Option<u64>,
}

impl Seat {
    /// A request begins; it ends with the value.
    pub(crate) fn asks(self: &Arc<Self>) -> Asking {
        self.change(|state| state.asking += 1);
        Asking(Arc::clone(self))
    }

    /// A request over it has shown a valid token.
    pub(crate) fn is_admitted(&self) {
        self.change(|state| state.is_known = true);
    }

    /// Whether no request over it has shown a valid token yet.
    pub(crate) fn is_stranger(&self) -> bool {
        !self.state().is_known
    }

    /// Returns when its room is needed.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let mut order = self.seats.order();
        if let Some(place) = state.place.take() {
            order.stand_up(self, state.is_known, place);
        }
        change(&mut state);
        if !state.is_known || state.asking == 0 {
            state.place = Some(order.sit_down(self, state.is_known));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let (place, is_known) = {
            let mut state = self.state();
            (state.place.take(), state.is_known)
        };
        if let Some(place) = place {
            self.seats.order().stand_up(self, is_known, place);
        }
    }
}

/// A request under way.
#[derive(Debug)]
pub(crate) struct Asking(Arc<Seat>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.change(|state| state.asking -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn source(text: &str) -> Source {
        Source::of(text.parse().unwrap())
    }

    fn is_closed(seat: &Seat) -> bool {
        seat.closed().now_or_never().is_some()
    }

    #[test]
    fn strangers_go_in_the_order_of_their_last_word_and_before_all_others() {
        let (seats, here) = (Seats::new(10), source("10.0.0.1"));
        let [known, first, second] = [(); 3].map(|()| seats.enter(here, false).0);
        known.is_admitted();
        let word = first.asks();
        assert!(seats.make_room() && is_closed(&second), "its last word is the oldest");
        assert!(seats.make_room() && is_closed(&first), "a stranger may be closed while it asks");
        drop(word);
        drop((first, second));
        let request = known.asks();
        assert!(!seats.make_room(), "who has shown a token is closed in no request");
        drop(request);
        assert!(seats.make_room() && is_closed(&known), "and when idle, once no stranger is left");
        drop(known);
        assert!(!seats.make_room(), "who has gone takes no place");
    }

    #[test]
    fn strangers_of_one_source_push_out_each_other() {
        let seats = Seats::new(2);
        let (quiet, _) = seats.enter(source("10.0.0.1"), false);
        let loud: Vec<_> =
            ["::ffff:10.0.0.2", "10.0.0.2", "10.0.0.2"].iter().map(|text| seats.enter(source(text), false)).collect();
        assert_eq!(loud.iter().map(|(_, closes)| *closes).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(loud.iter().map(|(seat, _)| is_closed(seat)).collect::<Vec<_>>(), [true, false, false]);
        assert!(!is_closed(&quiet));
        loud[1].0.is_admitted();
        assert!(!seats.enter(source("10.0.0.2"), false).1, "who has shown a token does not count");
    }

    #[test]
    fn a_spare_place_makes_no_room_among_the_others() {
        let (seats, here) = (Seats::new(10), source("10.0.0.1"));
        let (known, _) = seats.enter(here, false);
        known.is_admitted();
        let _request = known.asks();
        let [first, second] = [(); 2].map(|()| seats.enter(here, true).0);
        assert!(!seats.make_room() && !is_closed(&first), "whoever waits for an ordinary place would wait for ever");
        assert!(seats.make_spare_room() && is_closed(&first) && !is_closed(&second));
        drop(second);
        assert!(!seats.make_spare_room());
    }

    #[test]
    fn a_subscriber_is_one_source() {
        assert_eq!(source("2001:db8:0:1::1"), source("2001:db8:0:1:ffff::2"));
        assert_ne!(source("2001:db8:0:1::1"), source("2001:db8:0:2::1"));
        assert_eq!(source("2001:db8:0:1::1").to_string(), "2001:db8:0:1::/64");
    }
}
