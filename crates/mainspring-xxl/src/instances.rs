//! Which executors are there, what they speak, what they cannot do, and whether they live.
//!
//! Kept in memory and made anew by the next beats, which come within 30 s: an executor says everything about itself with
//! each. Time is in milliseconds of a clock that is never set.

use std::collections::BTreeMap;

use crate::address::Address;
use crate::dialect::{Dialect, Evidence, Range};
use crate::reply::Reply;
use crate::token::Credentials;

/// How often Java's executors beat, in milliseconds; pyxxl does every 10 s, Go every 20 s.
pub const BEAT_MS: i64 = 30_000;
/// Silence after which an executor counts as dead, in milliseconds, unless something else of it was heard.
pub const DEAD_MS: i64 = 3 * BEAT_MS;

/// Something that some executors cannot do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ability {
    /// Says whether a job runs there (`/idleBeat`): Go before 0.6.1, .NET and flask-xxljob do not.
    IdleBeat,
    /// Ends a run when asked (`/kill`): flask-xxljob and Rust do not.
    Kill,
    /// Answers with its log (`/log`): Go without a log handler, Node and Rust do not.
    Log,
    /// Checks the token of what it is asked: Go and pyxxl do not, so that whoever reaches its port may run its handlers.
    Token,
}

/// What is known of the abilities of an executor. Nothing is known before it was tried.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Abilities(BTreeMap<Ability, bool>);

impl Abilities {
    /// Notes whether something worked when it was tried.
    pub fn note(&mut self, ability: Ability, works: bool) {
        self.0.insert(ability, works);
    }

    /// Tells whether something works. Nothing if it was never tried.
    #[must_use]
    pub fn of(&self, ability: Ability) -> Option<bool> {
        self.0.get(&ability).copied()
    }

    /// What is known not to work.
    pub fn lacking(&self) -> impl Iterator<Item = Ability> {
        self.0.iter().filter(|(_, works)| !**works).map(|(ability, _)| *ability)
    }
}

/// One executor: a process of an app, at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Whether an administrator has entered the address. Such an instance is probed by `/beat`, because it may never register with us,
    /// and is never forgotten.
    pub is_manual: bool,
    /// When it registered last.
    pub beat_at: Option<i64>,
    /// When anything of it was heard last: a beat, a callback, an answer.
    pub heard_at: Option<i64>,
    /// Whether it has said that it goes. Callbacks may still follow.
    pub has_left: bool,
    /// What it can do.
    pub abilities: Abilities,
    range: Range,
}

/// What was heard of an instance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sign<'a> {
    /// It answered us.
    Answer(&'a Reply),
    /// It called back; the shape may tell of its dialect.
    Callback(Option<Evidence>),
}

impl Instance {
    fn new() -> Self {
        Self {
            is_manual: false,
            beat_at: None,
            heard_at: None,
            has_left: false,
            abilities: Abilities::default(),
            range: Range::default(),
        }
    }

    /// The dialect, once it is certain.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.range.known()
    }

    /// The dialect to call it in, as far as is known.
    #[must_use]
    pub fn call_in(&self) -> Dialect {
        self.range.to_call()
    }

    /// Tells whether runs may be sent to it: something of it was heard lately, and it has not said that it goes. A handler that blocks
    /// its event loop keeps pyxxl from beating, so answers and callbacks count as well.
    #[must_use]
    pub fn is_alive(&self, now: i64) -> bool {
        !self.has_left && self.heard_at.is_some_and(|heard| now - heard <= DEAD_MS)
    }
}

/// All executors that are known, by app and address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instances(BTreeMap<String, BTreeMap<Address, Instance>>);

impl Instances {
    /// Takes a beat in. Returns whether the instance is new, or back.
    pub fn beat(&mut self, app: &str, address: &Address, credentials: &Credentials, now: i64) -> bool {
        let instances = self.0.entry(app.to_owned()).or_default();
        let instance = instances.entry(address.clone()).or_insert_with(Instance::new);
        let is_new = !instance.is_alive(now);
        instance.beat_at = Some(now);
        instance.heard_at = Some(now);
        instance.has_left = false;
        instance.range.note(match credentials {
            // Only 3.5 names its app, and it always does.
            Credentials { app: Some(_), .. } => Evidence::Is(Dialect::V3_5),
            Credentials { is_old: true, .. } => Evidence::AtMost(Dialect::V2_1),
            _ => Evidence::AtMost(Dialect::V3_3),
        });
        is_new
    }

    /// Tells whether an instance may register where an app has at most so many: as many alive, and twice as many that are known, so
    /// that all of them can be replaced at a time. Entered addresses do not count, and one that is alive has its room.
    #[must_use]
    pub fn has_room(&self, app: &str, address: &Address, max: usize, now: i64) -> bool {
        if self.get(app, address).is_some_and(|instance| instance.is_manual || instance.is_alive(now)) {
            return true;
        }
        let others = || self.of_app(app).filter(|(other, instance)| *other != address && !instance.is_manual);
        let alive = others().filter(|(_, instance)| instance.is_alive(now)).count();
        alive < max && others().count() < max.saturating_mul(2)
    }

    /// One instance, if it is known.
    #[must_use]
    pub fn get(&self, app: &str, address: &Address) -> Option<&Instance> {
        self.0.get(app)?.get(address)
    }

    /// Takes in that an instance goes. Returns whether it was known and alive.
    pub fn leave(&mut self, app: &str, address: &Address) -> bool {
        let instance = self.0.get_mut(app).and_then(|instances| instances.get_mut(address));
        instance.is_some_and(|instance| !std::mem::replace(&mut instance.has_left, true))
    }

    /// Takes in what else was heard of an instance. One that nobody has registered or entered is not made known by it.
    pub fn heard(&mut self, app: &str, address: &Address, sign: Sign<'_>, now: i64) {
        let Some(instance) = self.0.get_mut(app).and_then(|instances| instances.get_mut(address)) else { return };
        instance.heard_at = Some(now);
        let evidence = match sign {
            Sign::Answer(reply) => reply.evidence(),
            Sign::Callback(evidence) => evidence,
        };
        if let Some(evidence) = evidence {
            instance.range.note(evidence);
        }
    }

    /// Notes whether something worked when it was tried.
    pub fn note_ability(&mut self, app: &str, address: &Address, ability: Ability, works: bool) {
        if let Some(instance) = self.0.get_mut(app).and_then(|instances| instances.get_mut(address)) {
            instance.abilities.note(ability, works);
        }
    }

    /// Sets the addresses that an administrator has entered for an app. Those that are no longer among them go, unless they register.
    pub fn enter(&mut self, app: &str, addresses: &[Address]) {
        let instances = self.0.entry(app.to_owned()).or_default();
        instances.values_mut().for_each(|instance| instance.is_manual = false);
        for address in addresses {
            instances.entry(address.clone()).or_insert_with(Instance::new).is_manual = true;
        }
        instances.retain(|_, instance| instance.is_manual || instance.beat_at.is_some());
    }

    /// Forgets those that are dead for as long again as it took to take them for dead, but for entered ones.
    pub fn sweep(&mut self, now: i64) {
        for instances in self.0.values_mut() {
            instances.retain(|_, instance| {
                instance.is_manual || instance.heard_at.is_some_and(|heard| now - heard <= 2 * DEAD_MS)
            });
        }
        self.0.retain(|_, instances| !instances.is_empty());
    }

    /// Forgets an app.
    pub fn forget(&mut self, app: &str) {
        self.0.remove(app);
    }

    /// The instances of an app, in the order in which routes see them.
    pub fn of_app(&self, app: &str) -> impl Iterator<Item = (&Address, &Instance)> {
        self.0.get(app).into_iter().flatten()
    }

    /// Tells whether an address may be called for an app: it has registered, or an administrator has entered it. Nothing else is ever
    /// called, so that no request and no token goes where a user says.
    #[must_use]
    pub fn may_call(&self, app: &str, address: &Address) -> bool {
        self.get(app, address).is_some()
    }

    /// When to [sweep](Self::sweep) next, at the latest.
    #[must_use]
    pub const fn sweep_at(now: i64) -> i64 {
        now + BEAT_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(port: u16) -> Address {
        Address::parse(&format!("http://127.0.0.1:{port}/")).unwrap()
    }

    fn plain() -> Credentials {
        Credentials { token: Some("t".to_owned()), ..Credentials::default() }
    }

    fn alive(instances: &Instances, now: i64) -> Vec<&str> {
        instances.of_app("a").filter(|(_, instance)| instance.is_alive(now)).map(|(at, _)| at.as_str()).collect()
    }

    #[test]
    fn an_executor_lives_while_anything_of_it_is_heard() {
        let (mut instances, at) = (Instances::default(), address(1));
        assert!(instances.beat("a", &at, &plain(), 0));
        assert!(!instances.beat("a", &at, &plain(), BEAT_MS), "a further beat is no news");
        assert_eq!(alive(&instances, BEAT_MS + DEAD_MS), ["http://127.0.0.1:1"]);
        assert!(alive(&instances, BEAT_MS + DEAD_MS + 1).is_empty());
        instances.heard("a", &at, Sign::Callback(None), 200_000);
        assert_eq!(alive(&instances, 200_000 + DEAD_MS).len(), 1, "a handler that blocks beats still calls back");
        assert!(instances.leave("a", &at) && !instances.leave("a", &at));
        assert!(alive(&instances, 200_001).is_empty());
        assert!(instances.beat("a", &at, &plain(), 200_002), "it is back");
        instances.sweep(200_002 + 2 * DEAD_MS);
        assert_eq!(instances.of_app("a").count(), 1);
        instances.sweep(200_003 + 2 * DEAD_MS);
        assert_eq!(instances, Instances::default());
    }

    #[test]
    fn only_registered_and_entered_addresses_are_called() {
        let mut instances = Instances::default();
        instances.beat("a", &address(1), &plain(), 0);
        instances.enter("a", &[address(2)]);
        instances.heard("a", &address(3), Sign::Callback(None), 0);
        let may: Vec<bool> = (1..=3).map(|port| instances.may_call("a", &address(port))).collect();
        assert_eq!(may, [true, true, false]);
        assert!(!instances.may_call("b", &address(1)), "another app has not registered it");
        instances.enter("a", &[]);
        assert!(instances.may_call("a", &address(1)) && !instances.may_call("a", &address(2)));
        instances.sweep(i64::MAX / 2);
        instances.enter("a", &[address(4)]);
        instances.sweep(i64::MAX / 2);
        assert!(instances.may_call("a", &address(4)), "an entered one is never forgotten");
    }

    #[test]
    fn no_more_executors_register_than_an_app_may_have() {
        let mut instances = Instances::default();
        instances.enter("a", &[address(9)]);
        let room = |instances: &Instances, port, now| instances.has_room("a", &address(port), 2, now);
        for port in [1, 2] {
            assert!(room(&instances, port, 0));
            instances.beat("a", &address(port), &plain(), 0);
        }
        assert!(!room(&instances, 3, 0) && room(&instances, 1, 0), "a further beat is no further executor");
        assert!(room(&instances, 9, 0), "a person has entered it");
        assert!(instances.has_room("b", &address(3), 2, 0), "each app has its own");
        // All are replaced, twice: then the first are not forgotten yet.
        for port in [3, 4] {
            instances.leave("a", &address(port - 2));
            assert!(room(&instances, port, 1));
            instances.beat("a", &address(port), &plain(), 1);
        }
        instances.leave("a", &address(3));
        assert!(!room(&instances, 5, 1));
        instances.sweep(2 * DEAD_MS + 1);
        assert!(room(&instances, 5, 2 * DEAD_MS + 1));
    }

    #[test]
    fn the_dialect_shows_in_beats_callbacks_and_answers() {
        let (mut instances, at) = (Instances::default(), address(1));
        let dialect = |instances: &Instances| {
            let (_, instance) = instances.of_app("a").next().unwrap();
            (instance.dialect(), instance.call_in())
        };
        instances.beat("a", &at, &plain(), 0);
        assert_eq!(dialect(&instances), (None, Dialect::V3_3));
        instances.heard("a", &at, Sign::Callback(Some(Evidence::AtLeast(Dialect::V2_3))), 0);
        instances.heard("a", &at, Sign::Answer(&Reply::parse(200, br#"{"code":200,"content":"x"}"#)), 0);
        assert_eq!(dialect(&instances).0, Some(Dialect::V2_3));
        let named = Credentials { app: Some("a".to_owned()), ..plain() };
        instances.beat("a", &at, &named, 1);
        assert_eq!(dialect(&instances), (Some(Dialect::V3_5), Dialect::V3_5), "a new release at the same address");
        let old = Credentials { is_old: true, ..plain() };
        instances.beat("b", &at, &old, 1);
        assert!(!instances.of_app("b").next().unwrap().1.call_in().is_called());
        instances.heard("b", &at, Sign::Answer(&Reply::parse(200, br#"{"code":200}"#)), 0);
        assert!(instances.of_app("b").next().unwrap().1.call_in().is_called(), "it has answered a call");
    }

    #[test]
    fn abilities_are_known_once_they_were_tried() {
        let mut instances = Instances::default();
        instances.beat("a", &address(1), &plain(), 0);
        instances.note_ability("a", &address(1), Ability::Kill, false);
        instances.note_ability("a", &address(1), Ability::Log, true);
        let (_, instance) = instances.of_app("a").next().unwrap();
        assert_eq!(instance.abilities.of(Ability::IdleBeat), None);
        assert_eq!(instance.abilities.lacking().collect::<Vec<_>>(), [Ability::Kill]);
    }
}
