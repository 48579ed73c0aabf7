//! What Prometheus is told of executors.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicI64;

use mainspring_engine::{Catalogue, ResultLabel};
use mainspring_xxl::RunAnswer;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Executors {
    app: String,
    state: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Requests {
    app: String,
    result: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Runs {
    app: String,
}

/// Executors, what they are sent, and what they report.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    executors: Family<Executors, Gauge<i64, AtomicI64>>,
    running: Family<Runs, Gauge<i64, AtomicI64>>,
    requests: Family<Requests, Counter>,
    ends: Family<ResultLabel, Counter>,
}

/// What there is of one app now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Present {
    /// Executors that runs are sent to.
    pub(super) alive: i64,
    /// Of these, those whose circuit breaker stops that.
    pub(super) stopped: i64,
    /// Those of which nothing is heard, or that have said that they go.
    pub(super) gone: i64,
    /// Runs that they have.
    pub(super) running: i64,
}

impl Figures {
    pub(crate) fn register(&self, catalogue: &mut Catalogue) {
        catalogue.register("xxl_executors", "Executors that this node knows", self.executors.clone());
        catalogue.register("xxl_running", "Runs that this node has executors execute", self.running.clone());
        catalogue.register("xxl_requests", "Runs sent to executors", self.requests.clone());
        catalogue.register("xxl_ends", "Ends of runs that executors have reported", self.ends.clone());
    }

    /// Shows what there is now, by app.
    pub(super) fn show(&self, present: &BTreeMap<String, Present>) {
        // What is there no more is shown no more.
        self.executors.clear();
        self.running.clear();
        for (app, present) in present {
            for (state, count) in [("alive", present.alive), ("stopped", present.stopped), ("gone", present.gone)] {
                self.executors.get_or_create(&Executors { app: app.clone(), state }).set(count);
            }
            self.running.get_or_create(&Runs { app: app.clone() }).set(present.running);
        }
    }

    /// Counts a run that was sent.
    pub(super) fn sent(&self, app: &str, answer: &RunAnswer) {
        let result = match answer {
            RunAnswer::Accepted(_) => "accepted",
            RunAnswer::Refused(_) => "refused",
            RunAnswer::Unreached(_) => "unreached",
            RunAnswer::Unknown(_) => "unanswered",
        };
        self.requests.get_or_create(&Requests { app: app.to_owned(), result }).inc();
    }

    /// Counts an end that was reported.
    pub(super) fn ended(&self, result: &'static str) {
        self.ends.get_or_create(&ResultLabel { result }).inc();
    }
}
