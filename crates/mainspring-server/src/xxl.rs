//! XXL-JOB's executors: they register and call back ([`protocol`]), and are sent runs ([`hands`], [`attempt`]).
//!
//! An executor is a worker of the queue of its app, whose side of the worker protocol this node plays itself: it polls for the
//! executor, sends what it is given, and reports the end when the executor has called back. What an executor has is therefore kept
//! like what any worker has, and survives a restart of the server.

pub(crate) mod apps;
mod attempt;
mod callback;
mod children;
mod ends;
mod executors;
mod figures;
pub(crate) mod forms;
mod groups;
mod hands;
mod jobs;
mod late;
mod ledger;
mod log;
mod open;
mod openings;
pub(crate) mod protocol;
pub(crate) mod scripts;
mod serve;
mod sync;
mod told;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use mainspring_schedule::Timestamp;
use mainspring_tasks::OutboundPolicy;
use mainspring_xxl::{Address, Client, ClientLimits, Reach};
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, Semaphore};

use self::attempt::Attempt;
use self::executors::{Executors, Key, Moment};
use self::hands::Hand;
use self::sync::lock;
use crate::grouped::Grouped;

pub(crate) use self::figures::Figures;
pub(crate) use self::serve::serve;

/// Runs that a node sends at a time. One without an answer has a connection of its own for three seconds, and an executor 64 of these at
/// most until its circuit breaker opens: so sixteen that answer nothing must be there at once before the others wait.
const SENDS_MAX: usize = 1_024;

/// What the routes and the tasks share.
#[derive(Debug)]
pub(crate) struct Xxl {
    pub(crate) apps: apps::Cache,
    client: Client,
    /// Where executors may be.
    reach: Reach,
    executors: Mutex<Executors>,
    /// What is sent from here, by the number of each.
    attempts: Mutex<FxHashMap<i64, Arc<Attempt>>>,
    /// What is written down before it is sent.
    openings: openings::Openings,
    /// Executors that this node serves.
    hands: Mutex<FxHashMap<Key, Arc<Hand>>>,
    /// Is woken when an executor is new, goes, or an app has changed.
    changed: Notify,
    begun: Instant,
    /// Room for what this node sends at a time, to all executors.
    sends: Arc<Semaphore>,
    /// Requests that were refused, by why.
    refused: Grouped<String>,
}

impl Xxl {
    /// Knows nobody yet. Executors are called where the policy permits it.
    pub(crate) fn new(policy: OutboundPolicy) -> Self {
        let policy = Arc::new(policy);
        let resolver = policy.resolver();
        let check = move |url: &_| policy.check(url).map_err(|denied| denied.to_string());
        let reach = Reach { check: Arc::new(check), resolver };
        let client = Client::within(ClientLimits::default(), reach.clone());
        Self {
            apps: apps::Cache::default(),
            client: client.expect("ring has all that the settings name"),
            reach,
            executors: Mutex::default(),
            attempts: Mutex::default(),
            openings: openings::Openings::default(),
            hands: Mutex::default(),
            changed: Notify::new(),
            begun: Instant::now(),
            sends: Arc::new(Semaphore::new(SENDS_MAX)),
            refused: Grouped::default(),
        }
    }

    /// Says why nothing may be sent to an address. What a name stands for is looked at when it is called.
    pub(crate) fn is_within(&self, address: &Address) -> Result<(), String> {
        let within = self.reach.allows(address.as_str());
        within.map_err(|why| format!("{why}; --allow-executors names more"))
    }
}

impl Xxl {
    fn now_ms(&self) -> i64 {
        i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    fn moment(&self, at: Timestamp) -> Moment {
        Moment { ms: self.now_ms(), at }
    }

    fn executors(&self) -> MutexGuard<'_, Executors> {
        lock(&self.executors)
    }

    /// Reads the apps anew, now.
    pub(crate) fn apps_changed(&self) {
        self.apps.forget();
        self.changed.notify_one();
    }

    /// The executors of one app, or of all, as the API shows them.
    pub(crate) fn show(&self, app: Option<&str>, now: Timestamp) -> Vec<mainspring_api::XxlInstance> {
        let now_ms = self.now_ms();
        let shown = self.executors().show(app, now_ms);
        let hands = lock(&self.hands);
        let with_hand = |(key, mut one): (Key, mainspring_api::XxlInstance)| {
            if let Some(hand) = hands.get(&key) {
                one.running = Some(hand.running());
                let (breaker, until_ms) = hand.breaker();
                one.breaker = Some(breaker);
                one.breaker_until = until_ms.map(|ms| crate::show::instant(now + (ms - now_ms)));
            }
            one
        };
        shown.into_iter().map(with_hand).collect()
    }

    /// Shows Prometheus what there is now.
    pub(crate) fn show_figures(&self, figures: &Figures) {
        let mut present = self.executors().present(self.now_ms());
        for (key, hand) in lock(&self.hands).iter() {
            let app = present.entry(key.0.clone()).or_default();
            app.running += i64::from(hand.running());
            app.stopped += i64::from(hand.breaker().0 != mainspring_api::XxlBreaker::Closed);
        }
        figures.show(&present);
    }

    /// Says in the log that a request was refused, once for all that follow soon.
    fn note_refused(&self, why: &str) {
        if let Some(requests) = self.refused.note(Instant::now(), why.to_owned()) {
            tracing::warn!(requests, "an executor was refused: {why}");
        }
    }
}
