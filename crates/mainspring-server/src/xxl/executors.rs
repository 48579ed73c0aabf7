//! The executors that are known here, in memory: made anew by the next beats, and by what the store keeps of those that have runs.

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use mainspring_xxl::{Ability, Address, Credentials, Evidence, Instance, Instances, Reply, Sign, Target};

use super::apps::{AppRow, Apps};
use super::figures::Present;

/// An executor, by its app and address.
pub(crate) type Key = (String, Address);

/// Executors, and what of them the protocol does not say.
#[derive(Debug, Default)]
pub(crate) struct Executors {
    known: Instances,
    facts: BTreeMap<Key, Facts>,
}

/// What is known of an executor beyond the protocol.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// The address as it was written, with its slash if it has one: what routes go by.
    written: Option<String>,
    /// The token that it sent last.
    token: Option<String>,
    beat_at: Option<Timestamp>,
    heard_at: Option<Timestamp>,
    /// How far its clock is ahead of ours, in milliseconds, to the second.
    clock_offset_ms: Option<i64>,
    /// Its place among the addresses that people have entered.
    place: Option<u32>,
    /// When its address is to be tried next, if it does not register.
    probe_ms: i64,
    /// Another node serves it until then, as far as is known.
    elsewhere_ms: i64,
}

/// Whom to call, and as whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Callee {
    pub(crate) app: String,
    pub(crate) address: Address,
    pub(crate) token: String,
    pub(crate) dialect: mainspring_xxl::Dialect,
}

impl Callee {
    pub(crate) fn target(&self) -> Target<'_> {
        Target { address: &self.address, dialect: self.dialect, app: &self.app, token: Some(&self.token) }
    }
}

/// Moments at which something is heard: by a clock that is never set, in milliseconds, and by that of people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) ms: i64,
    pub(crate) at: Timestamp,
}

impl Executors {
    /// Takes a beat in. True: the executor is new, or back.
    pub(crate) fn beat(&mut self, key: &Key, written: &str, credentials: &Credentials, now: Moment) -> bool {
        let is_new = self.known.beat(&key.0, &key.1, credentials, now.ms);
        let facts = self.facts.entry(key.clone()).or_default();
        facts.written = Some(written.trim().to_owned());
        facts.token.clone_from(&credentials.token);
        (facts.beat_at, facts.heard_at) = (Some(now.at), Some(now.at));
        is_new
    }

    /// Tells whether an executor may register where its app has at most so many.
    pub(crate) fn has_room(&self, key: &Key, max: u32, now_ms: i64) -> bool {
        self.known.has_room(&key.0, &key.1, max as usize, now_ms)
    }

    /// Takes in that an executor goes.
    pub(crate) fn leave(&mut self, key: &Key) -> bool {
        self.known.leave(&key.0, &key.1)
    }

    /// Takes in an answer of an executor.
    pub(crate) fn answered(&mut self, key: &Key, reply: &Reply, now: Moment) {
        self.heard(key, Sign::Answer(reply), now);
        if let (Some(date_ms), Some(facts)) = (reply.date_ms, self.facts.get_mut(key)) {
            facts.clock_offset_ms = Some(offset_ms(date_ms, now.at));
        }
    }

    /// Takes in what else was heard.
    pub(crate) fn heard(&mut self, key: &Key, sign: Sign<'_>, now: Moment) {
        self.known.heard(&key.0, &key.1, sign, now.ms);
        if let Some(facts) = self.facts.get_mut(key) {
            facts.heard_at = Some(now.at);
        }
    }

    /// Takes in what a probe has told of the dialect.
    pub(crate) fn probed(&mut self, key: &Key, evidence: Option<Evidence>, now: Moment) {
        self.heard(key, Sign::Callback(evidence), now);
    }

    /// Notes whether something worked when it was tried.
    pub(crate) fn note_ability(&mut self, key: &Key, ability: Ability, works: bool) {
        self.known.note_ability(&key.0, &key.1, ability, works);
    }

    /// Takes in the apps: addresses that people have entered, and those that are no more.
    pub(crate) fn enter(&mut self, apps: &Apps) {
        let gone: Vec<String> = self.apps().into_iter().filter(|app| !apps.contains_key(app)).collect();
        for app in gone {
            self.known.forget(&app);
        }
        self.facts.values_mut().for_each(|facts| facts.place = None);
        for app in apps.values() {
            let addresses = app.addresses();
            self.known.enter(&app.name, &addresses);
            for ((place, address), written) in (0..).zip(addresses).zip(&app.kept.addresses) {
                let facts = self.facts.entry((app.name.clone(), address)).or_default();
                facts.written.get_or_insert_with(|| written.clone());
                facts.place = Some(place);
            }
        }
    }

    /// Forgets those that have been silent for long.
    pub(crate) fn sweep(&mut self, now_ms: i64) {
        self.known.sweep(now_ms);
        let known = &self.known;
        self.facts.retain(|(app, address), _| known.may_call(app, address));
    }

    fn apps(&self) -> Vec<String> {
        let mut apps: Vec<String> = self.facts.keys().map(|(app, _)| app.clone()).collect();
        apps.dedup();
        apps
    }

    /// One executor.
    pub(crate) fn find(&self, key: &Key) -> Option<&Instance> {
        self.known.get(&key.0, &key.1)
    }

    /// Whether runs may be sent to an executor.
    pub(crate) fn is_alive(&self, key: &Key, now_ms: i64) -> bool {
        self.find(key).is_some_and(|instance| instance.is_alive(now_ms) && instance.call_in().is_called())
    }

    /// Whether anything was heard of an executor lately, also of one that goes.
    pub(crate) fn is_heard(&self, key: &Key, now_ms: i64) -> bool {
        let heard = self.find(key).and_then(|instance| instance.heard_at);
        heard.is_some_and(|heard| now_ms - heard <= mainspring_xxl::DEAD_MS)
    }

    /// Executors that runs may be sent to and that no other node serves, in order.
    pub(crate) fn to_serve(&self, now_ms: i64) -> Vec<Key> {
        let here = self.facts.iter().filter(|(_, facts)| facts.elsewhere_ms <= now_ms).map(|(key, _)| key);
        here.filter(|key| self.is_alive(key, now_ms)).cloned().collect()
    }

    /// Notes that another node serves an executor, until then as far as is known.
    pub(crate) fn note_elsewhere(&mut self, key: &Key, until_ms: i64) {
        if let Some(facts) = self.facts.get_mut(key) {
            facts.elsewhere_ms = until_ms;
        }
    }

    /// Executors that do not register and whose address is to be tried now. Each is tried again at `next_ms`.
    pub(crate) fn due_for_probe(&mut self, now_ms: i64, next_ms: i64) -> Vec<Key> {
        let known = &self.known;
        let is_manual = |key: &Key| known.get(&key.0, &key.1).is_some_and(|instance| instance.is_manual);
        let due = self.facts.iter_mut().filter(|(key, facts)| facts.probe_ms <= now_ms && is_manual(key));
        due.map(|(key, facts)| {
            facts.probe_ms = next_ms;
            key.clone()
        })
        .collect()
    }

    /// The address as it was written.
    pub(crate) fn written(&self, key: &Key) -> String {
        let written = self.facts.get(key).and_then(|facts| facts.written.clone());
        written.unwrap_or_else(|| key.1.as_str().to_owned())
    }

    /// How to call an executor of an app.
    pub(crate) fn callee(&self, key: &Key, app: &AppRow, now: Timestamp) -> Option<Callee> {
        let instance = self.find(key)?;
        let given = self.facts.get(key).and_then(|facts| facts.token.as_deref());
        Some(Callee {
            app: key.0.clone(),
            address: key.1.clone(),
            token: app.token_for(given, now),
            dialect: instance.call_in(),
        })
    }

    /// Where an executor stands among the addresses of its app that people have entered. Nothing: they have not entered it.
    pub(crate) fn place(&self, key: &Key) -> Option<u32> {
        self.facts.get(key)?.place
    }

    /// The other executors of an app that runs may be sent to, in order.
    pub(crate) fn others(&self, key: &Key, now_ms: i64) -> Vec<Key> {
        let others = self.known.of_app(&key.0).map(|(address, _)| (key.0.clone(), address.clone()));
        let mut others: Vec<Key> = others.filter(|other| other != key && self.is_alive(other, now_ms)).collect();
        others.sort_by_key(|other| self.place(other).unwrap_or(u32::MAX));
        others
    }

    /// The executors of an app that runs may be sent to, by their addresses, as their workers are called.
    pub(crate) fn alive(&self, app: &str, now_ms: i64) -> BTreeMap<Address, String> {
        let keys = self.known.of_app(app).map(|(address, _)| (app.to_owned(), address.clone()));
        let alive = keys.filter(|key| self.is_alive(key, now_ms));
        alive.map(|key| (key.1.clone(), self.written(&key))).collect()
    }

    /// How many there are, by app.
    pub(super) fn present(&self, now_ms: i64) -> BTreeMap<String, Present> {
        let mut present: BTreeMap<String, Present> = BTreeMap::new();
        for key in self.facts.keys().filter(|key| self.find(key).is_some()) {
            let app = present.entry(key.0.clone()).or_default();
            let is_alive = self.is_alive(key, now_ms);
            app.alive += i64::from(is_alive);
            app.gone += i64::from(!is_alive);
        }
        present
    }

    /// Executors of one app, or of all, as the API shows them.
    pub(crate) fn show(&self, app: Option<&str>, now_ms: i64) -> Vec<(Key, mainspring_api::XxlInstance)> {
        let keys = self.facts.iter().filter(|((of, _), _)| app.is_none_or(|app| of == app));
        keys.filter_map(|(key, facts)| {
            let instance = self.find(key)?;
            let lacks = instance.abilities.lacking().map(|ability| match ability {
                Ability::IdleBeat => "idle_beat",
                Ability::Kill => "kill",
                Ability::Log => "log",
                Ability::Token => "token",
            });
            let shown = mainspring_api::XxlInstance {
                app: key.0.clone(),
                address: self.written(key),
                alive: self.is_alive(key, now_ms),
                manual: instance.is_manual,
                left: instance.has_left,
                dialect: instance.dialect().map(|dialect| dialect.releases().to_owned()),
                beat_at: facts.beat_at.map(crate::show::instant),
                heard_at: facts.heard_at.map(crate::show::instant),
                clock_offset_ms: facts.clock_offset_ms,
                running: None,
                breaker: None,
                breaker_until: None,
                lacks: lacks.map(str::to_owned).collect(),
            };
            Some((key.clone(), shown))
        })
        .collect()
    }
}

/// How far a clock is ahead that shows whole seconds, to the second.
fn offset_ms(date_ms: i64, now: Timestamp) -> i64 {
    let ahead = date_ms + 500 - now.as_millis();
    (ahead.abs() + 499) / 1_000 * 1_000 * ahead.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_right_is_not_ahead_whenever_in_a_second_it_is_asked() {
        for (date_ms, now_ms, offset) in [
            (5_000, 5_000, 0),
            (5_000, 5_999, 0),
            (5_000, 6_100, -1_000),
            (65_000, 5_700, 60_000),
            (5_000, 65_300, -60_000),
        ] {
            assert_eq!(offset_ms(date_ms, Timestamp::from_millis(now_ms)), offset, "{date_ms} at {now_ms}");
        }
    }
}
