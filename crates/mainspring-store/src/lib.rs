//! Where jobs, triggers, runs and history are kept.
//!
//! [`Store`] is the whole contract. A store keeps and guards rows: which instants fire and what follows an
//! attempt is decided by `mainspring-core` (the gate of a job is asked under its row's lock).

mod after;
mod backfill;
mod cluster;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod data;
mod digest;
mod document;
mod error;
mod flow;
mod key;
mod memory;
mod mysql;
mod open;
mod postgres;
mod rollup;
mod row;
mod sql;
mod sqlite;
mod store;
mod webhook;
mod worker;
mod workflow;

pub use after::{AfterDue, AfterEdge, AfterFire, AfterFired, AftersDue};
pub use backfill::{
    BackfillItem, BackfillQuery, BackfillRow, BackfillStep, BackfillStore, BackfillTurn, ExistingRun, ItemStart,
    NewBackfill, NewItem, RunningItem, Sweep,
};
pub use cluster::{Cluster, LEAST_VERSION, NodeInfo};
pub use data::JobData;
pub use digest::{DIGEST_LIVE_MAX, JobDigest, RunDigest};
pub use document::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE};
pub use error::{Error, Result, causes};
pub use flow::{FlowRow, FlowStore, FlowWrite, ItemContent, ItemRow, ItemWrite};
pub use key::{Claimed, KeptAnswer, KeyClaim, KeyHold, Release};
pub use memory::MemoryStore;
pub use mysql::MysqlStore;
pub use open::{open, open_with};
pub use postgres::{PostgresStore, Work, work};
pub use rollup::{RollupRow, RollupSpan};
pub use row::*;
pub use sqlite::{Options, SqliteStore};
pub use store::Store;
pub use webhook::{Delivery, DeliveryAnswer, DeliveryState, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow};
pub use worker::{ROUTED_MAX, Routed, WorkerInfo, WorkerRow, WorkerToken};
pub use workflow::{
    KeptTask, Message, MessageBody, REPEATED, Repeat, Stepped, TaskRequest, TaskRow, TaskStart, TaskVerb, TaskWrite,
    WorkflowDue, WorkflowRow, WorkflowStep,
};
