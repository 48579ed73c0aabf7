//! A registry that knows what is in it, so that the manual can be held to it.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Metric, Registry};

/// Figures by name, all with the prefix `mainspring`.
#[derive(Debug)]
pub struct Catalogue {
    registry: Registry,
    names: Vec<String>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self { registry: Registry::with_prefix("mainspring"), names: Vec::new() }
    }
}

impl Catalogue {
    /// Adds a figure. Units are part of the name; the ending of counters and information is not.
    pub fn register(&mut self, name: &str, help: &str, figure: impl Metric) {
        let ending = match figure.metric_type() {
            MetricType::Counter => "_total",
            MetricType::Info => "_info",
            _ => "",
        };
        self.names.push(format!("mainspring_{name}{ending}"));
        self.registry.register(name, help, figure);
    }

    /// The names of all figures as Prometheus sees them, also of those that have no value yet.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Everything as `OpenMetrics` text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}
