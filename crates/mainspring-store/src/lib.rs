//! Where jobs, triggers, runs and history are kept.
//!
//! [`Store`] is the whole contract. A store keeps and guards rows: which instants fire and what follows an
//! attempt is decided by `mainspring-core` (the gate of a job is asked under its row's lock).

#![cfg_attr(
    not(all(feature = "sqlite", feature = "postgres", feature = "mysql")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        unreachable_patterns,
        reason = "what only some databases need is there for all"
    )
)]

mod after;
mod awaits;
mod backfill;
mod cluster;
#[cfg(any(all(test, feature = "sqlite", feature = "postgres", feature = "mysql"), feature = "conformance"))]
pub mod conformance;
mod correct;
mod data;
mod digest;
mod document;
mod error;
mod flow;
mod follow;
mod key;
mod memory;
#[cfg(feature = "mysql")]
mod mysql;
mod open;
mod options;
mod past;
#[cfg(feature = "postgres")]
mod postgres;
mod rollup;
mod row;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod webhook;
mod worker;
mod workflow;

pub use after::{AfterDue, AfterEdge, AfterFire, AfterFired, AftersDue};
pub use awaits::{Await, Stands};
pub use backfill::{
    BACKFILLED, BackfillItem, BackfillQuery, BackfillRow, BackfillStep, BackfillStore, BackfillTurn, ExistingRun,
    ItemStart, NewBackfill, NewItem, RunningItem, Sweep,
};
pub use cluster::{Cluster, LEAST_VERSION, NodeInfo};
pub use correct::{Corrected, Correction, RUN_SETTLED};
pub use data::JobData;
pub use digest::{DIGEST_LIVE_MAX, JobDigest, RunDigest};
pub use document::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE};
pub use error::{Error, Result, causes};
pub use flow::{
    BEGIN_BYTES, FlowMinute, FlowRow, FlowStore, FlowWrite, InboxRow, InboxStore, ItemContent, ItemRow, ItemWrite,
    PAYLOAD_MAX,
};
pub use follow::{ClaimRequest, FollowUp, Followed, StepAfter};
pub use key::{Claimed, KeptAnswer, KeyClaim, KeyHold, Release};
pub use memory::MemoryStore;
#[cfg(feature = "mysql")]
pub use mysql::{ForeignTable, MysqlStore, Wanted, read_tables};
pub use open::{open, open_with};
pub use options::Options;
pub use past::{PastAttempt, PastRun, PastRuns};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresStore, Work, work};
pub use rollup::{RollupRow, RollupSpan};
pub use row::*;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::Store;
pub use webhook::{Delivery, DeliveryAnswer, DeliveryState, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow};
pub use worker::{ROUTED_MAX, Routed, WorkerInfo, WorkerRow, WorkerToken};
pub use workflow::{
    KeptTask, Message, MessageBody, REPEATED, Repeat, Stepped, TaskRequest, TaskRow, TaskStart, TaskVerb, TaskWrite,
    TimeLimit, WorkflowDue, WorkflowRow, WorkflowStep,
};
