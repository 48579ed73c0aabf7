//! How the resources of the API look in tables: columns, nothing else.

mod alert;
mod approval;
mod backfill;
mod cluster;
mod flow;
mod flow_history;
mod import;
mod job;
mod label;
mod matching;
mod misfire;
mod next;
mod operation;
mod plan;
mod queue;
mod queue_history;
mod queue_order;
mod queue_preview;
mod queue_waiting;
mod rerun;
mod run;
mod task;
mod trigger;
mod webhook;
mod why;
mod worker;
mod xxl;

pub use alert::{ALERT, ALERT_CHANNEL, ALERT_DELIVERY, ALERT_RULE, ALERT_SILENCE};
pub use approval::APPROVAL;
pub use backfill::{
    BACKFILL, BACKFILL_CASCADE_ITEM, BACKFILL_ITEM, BACKFILL_NAMED_ITEM, BACKFILL_PART_ITEM, BACKFILL_PLAN_ITEM,
};
pub use cluster::{CLUSTER, LATENESS, NODE, SHARD, SHARD_MOVE};
pub use flow::{FLOW, FLOW_COMPONENT, FLOW_CONNECTION, FLOW_ITEM, FLOW_NODE, FLOW_POOL};
pub use flow_history::{FLOW_MOMENT, moments};
pub use import::IMPORTED;
pub use job::{JOB, JOB_DATA, JOB_VERSION};
pub use label::LABEL;
pub use matching::TAKER;
pub use misfire::{MISFIRE, MISFIRE_GROUP, MisfireGroup};
pub use next::NEXT;
pub use operation::OPERATION;
pub use plan::{PLAN, changes};
pub use queue::{MOVED, MovedRuns, QUEUE};
pub use queue_history::{QUEUE_STEP, steps};
pub use queue_order::{QUEUE_CHANGE, QUEUE_HEAD, placed};
pub use queue_preview::{QUEUE_EFFECT, effects};
pub use queue_waiting::{QUEUE_SHARE, QUEUE_WHY, hindrances};
pub use rerun::RERUN;
pub use run::{ATTEMPT, RUN, misfire_cell};
pub use task::{Placed, TASK};
pub use trigger::{GAP, TRIGGER};
pub use webhook::{WEBHOOK, WEBHOOK_DELIVERY};
pub use why::{Because, WHY};
pub use worker::{WORKER, WORKER_TOKEN};
pub use xxl::{XXL_APP, XXL_GLUE, XXL_INSTANCE};

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::Value;

use crate::output::{Cell, dash};

/// A cell with text.
fn text(value: impl Display) -> Cell {
    Cell::new(value)
}

/// Labels in one cell, or a dash.
fn labels(labels: &BTreeMap<String, String>) -> String {
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if labels.is_empty() { dash() } else { labels.join(",") }
}

/// A cell with a value, or a dash.
fn optional<T: Display>(value: Option<T>) -> Cell {
    Cell::new(value.map_or_else(dash, |value| value.to_string()))
}

/// A cell with yes or a dash: most things are not paused, and a dash does not catch the eye.
fn yes(flag: bool) -> Cell {
    Cell::new(if flag { "yes" } else { "-" })
}

/// A cell with compact JSON, or a dash.
fn json(value: Option<&Value>) -> Cell {
    optional(value)
}
