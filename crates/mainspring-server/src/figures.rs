//! The server's figures, in the form that Prometheus reads.

use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;

use mainspring_engine::Metrics;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u16,
}

/// Requests, streams, and what the engine counts.
pub(crate) struct Figures {
    registry: Registry,
    requests: Family<Answered, Histogram>,
    streams: Gauge<i64, AtomicI64>,
    clock_offset: Gauge<f64, AtomicU64>,
}

/// Counts a stream while it lives.
pub(crate) struct Streaming(Gauge<i64, AtomicI64>);

impl Figures {
    pub(crate) fn new(engine: &Metrics, node_name: &str) -> Self {
        let mut registry = Registry::with_prefix("mainspring");
        engine.register(&mut registry);
        let requests = Family::<Answered, Histogram>::new_with_constructor(|| {
            Histogram::new([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0])
        });
        let (streams, clock_offset) = (Gauge::default(), Gauge::default());
        let node = Info::new(vec![("name", node_name.to_owned())]);
        let build =
            Info::new(vec![("version", env!("CARGO_PKG_VERSION")), ("tzdata", mainspring_schedule::tzdata_version())]);
        registry.register("http_server_request_duration_seconds", "Time to the answer's head", requests.clone());
        registry.register("stream_clients", "Event streams and followed logs", streams.clone());
        registry.register("clock_offset_seconds", "The machine's clock minus the database's", clock_offset.clone());
        registry.register("node", "This node", node);
        registry.register("build", "The program", build);
        Self { registry, requests, streams, clock_offset }
    }

    /// Notes an answer. `route` is a pattern, so there are few.
    pub(crate) fn answered(&self, route: &str, status: u16, took: Duration) {
        let label = Answered { route: route.to_owned(), status };
        self.requests.get_or_create(&label).observe(took.as_secs_f64());
    }

    pub(crate) fn streaming(&self) -> Streaming {
        self.streams.inc();
        Streaming(self.streams.clone())
    }

    /// Everything as `OpenMetrics` text, with the present difference of the clocks if there is one.
    pub(crate) fn text(&self, clock_offset_ms: Option<i64>) -> String {
        let offset_ms = clock_offset_ms.unwrap_or(0);
        let offset = Duration::from_millis(offset_ms.unsigned_abs()).as_secs_f64();
        self.clock_offset.set(if offset_ms < 0 { -offset } else { offset });
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.dec();
    }
}
