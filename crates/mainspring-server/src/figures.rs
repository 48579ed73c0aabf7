//! The server's figures, in the form that Prometheus reads.

use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;

use mainspring_engine::{Catalogue, Metrics, ResultLabel, StateLabel};
use mainspring_store::{Connections, DeliveryState};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;

use crate::xxl::Figures as ExecutorFigures;

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u16,
}

/// Requests, streams, and what the engine counts.
pub(crate) struct Figures {
    catalogue: Catalogue,
    requests: Family<Answered, Histogram>,
    streams: Gauge<i64, AtomicI64>,
    /// Webhooks to which nothing is sent until somebody resumes them.
    pub(crate) webhooks_resting: Gauge<i64, AtomicI64>,
    deliveries: Family<ResultLabel, Counter>,
    /// What is wrong with jobs that somebody is told of.
    pub(crate) alerts_open: Gauge<i64, AtomicI64>,
    alert_messages: Family<ResultLabel, Counter>,
    refused: Family<ResultLabel, Counter>,
    /// Of XXL-JOB's executors.
    pub(crate) xxl: ExecutorFigures,
    clock_offset: Gauge<f64, AtomicU64>,
    connections: Family<StateLabel, Gauge<i64, AtomicI64>>,
}

/// Counts a stream while it lives.
pub(crate) struct Streaming(Gauge<i64, AtomicI64>);

impl Figures {
    pub(crate) fn new(engine: &Metrics, node_name: &str) -> Self {
        let mut catalogue = Catalogue::default();
        engine.register(&mut catalogue);
        let requests = Family::<Answered, Histogram>::new_with_constructor(|| {
            Histogram::new([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0])
        });
        let (streams, clock_offset, connections) = (Gauge::default(), Gauge::default(), Family::default());
        let (webhooks_resting, deliveries, refused) = (Gauge::default(), Family::default(), Family::default());
        let (alerts_open, alert_messages) = (Gauge::default(), Family::default());
        let xxl = ExecutorFigures::default();
        xxl.register(&mut catalogue);
        catalogue.register("alerts_open", "Alerts that are open", alerts_open.clone());
        catalogue.register("alert_messages", "Messages sent to channels of alerts", alert_messages.clone());
        let node = Info::new(vec![("name", node_name.to_owned())]);
        let build =
            Info::new(vec![("version", env!("CARGO_PKG_VERSION")), ("tzdata", mainspring_schedule::tzdata_version())]);
        catalogue.register("http_server_request_duration_seconds", "Time to the answer's head", requests.clone());
        catalogue.register("stream_clients", "Event streams and followed logs", streams.clone());
        catalogue.register("webhooks_resting", "Webhooks that rest", webhooks_resting.clone());
        catalogue.register("webhook_deliveries", "Messages sent to webhooks", deliveries.clone());
        catalogue.register(
            "clock_offset_seconds",
            "The machine's clock minus the database's, or minus the time gone by while a jump is not believed",
            clock_offset.clone(),
        );
        catalogue.register("http_refused", "Requests without a token, or with one that opens nothing", refused.clone());
        catalogue.register("store_pool_connections", "Connections to the database", connections.clone());
        catalogue.register("node", "This node", node);
        catalogue.register("build", "The program", build);
        Self {
            catalogue,
            requests,
            streams,
            webhooks_resting,
            deliveries,
            alerts_open,
            alert_messages,
            refused,
            xxl,
            clock_offset,
            connections,
        }
    }

    /// Notes an answer. `route` is a pattern, so there are few.
    pub(crate) fn answered(&self, route: &str, status: u16, took: Duration) {
        let label = Answered { route: route.to_owned(), status };
        self.requests.get_or_create(&label).observe(took.as_secs_f64());
    }

    /// Notes what came of sending a message to a webhook.
    pub(crate) fn delivered(&self, state: DeliveryState) {
        self.deliveries.get_or_create(&result_of(state)).inc();
    }

    /// Notes what came of sending a message to a channel of alerts.
    pub(crate) fn alert_sent(&self, state: DeliveryState) {
        self.alert_messages.get_or_create(&result_of(state)).inc();
    }

    /// Notes a request whose token is `missing` or `invalid`.
    pub(crate) fn refused(&self, result: &'static str) {
        self.refused.get_or_create(&ResultLabel { result }).inc();
    }

    pub(crate) fn streaming(&self) -> Streaming {
        self.streams.inc();
        Streaming(self.streams.clone())
    }

    /// Everything as `OpenMetrics` text, with the present difference of the clocks if there is one, and what the connections to
    /// the database do, if there are any.
    pub(crate) fn text(&self, clock_offset_ms: Option<i64>, connections: Option<Connections>) -> String {
        let offset_ms = clock_offset_ms.unwrap_or(0);
        let offset = Duration::from_millis(offset_ms.unsigned_abs()).as_secs_f64();
        self.clock_offset.set(if offset_ms < 0 { -offset } else { offset });
        if let Some(Connections { busy, idle }) = connections {
            for (state, count) in [("busy", busy), ("idle", idle)] {
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                self.connections.get_or_create(&StateLabel { state }).set(count);
            }
        }
        self.catalogue.text()
    }
}

const fn result_of(state: DeliveryState) -> ResultLabel {
    let result = match state {
        DeliveryState::Delivered => "delivered",
        DeliveryState::Pending => "failed",
        DeliveryState::Dead => "dead",
    };
    ResultLabel { result }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use mainspring_engine::{Engine, Settings};
    use mainspring_store::MemoryStore;

    use super::*;

    async fn figures() -> Figures {
        let engine = Engine::start(Arc::new(MemoryStore::new()), Settings::default()).await.unwrap();
        Figures::new(engine.metrics(), "a")
    }

    #[tokio::test]
    async fn every_figure_is_in_the_manual_and_the_other_way_round() {
        let manual = include_str!("../../../docs/reference/metrics.md");
        let rows = manual.lines().filter_map(|line| line.strip_prefix("| `mainspring_"));
        let described: BTreeSet<String> =
            rows.map(|row| format!("mainspring_{}", row.split(['`', '{']).next().unwrap())).collect();
        let registered: BTreeSet<String> = figures().await.catalogue.names().iter().cloned().collect();
        assert_eq!(described, registered);
    }

    #[tokio::test]
    async fn connections_are_shown_where_there_are_any() {
        let figures = figures().await;
        assert!(!figures.text(None, None).contains("store_pool_connections"));
        let text = figures.text(None, Some(Connections { busy: 2, idle: 5 }));
        assert!(text.contains("mainspring_store_pool_connections{state=\"busy\"} 2\n"), "{text}");
        assert!(text.contains("mainspring_store_pool_connections{state=\"idle\"} 5\n"), "{text}");
    }

    #[tokio::test]
    async fn messages_to_webhooks_are_counted_by_what_came_of_them() {
        let figures = figures().await;
        let (received, failed) = (DeliveryState::Delivered, DeliveryState::Pending);
        for state in [received, failed, failed, DeliveryState::Dead] {
            figures.delivered(state);
        }
        let text = figures.text(None, None);
        for (result, count) in [("delivered", 1), ("failed", 2), ("dead", 1)] {
            let line = format!("mainspring_webhook_deliveries_total{{result=\"{result}\"}} {count}\n");
            assert!(text.contains(&line), "{line} in {text}");
        }
    }
}
