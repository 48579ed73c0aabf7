//! Resources as the API shows them, and the queries and requests around them.
//!
//! Fields are only ever added within `/api/v1`, so readers pass over those they do not know. Numbers
//! stay below 2^53; ids are text. States and kinds that a client does not know read as `Unknown`.

mod alert;
mod apply;
mod approval;
mod backfill;
mod calendar;
mod cluster;
mod dashboard;
mod flow;
mod flow_history;
mod job;
mod live;
mod log;
mod matching;
mod misfire;
mod operation;
mod page;
mod past;
mod preview;
mod queue;
mod queue_history;
mod queue_order;
mod queue_preview;
mod queue_waiting;
mod rerun;
mod run;
mod search;
mod session;
mod task;
mod trigger;
mod version;
mod webhook;
mod why;
mod worker;
mod xxl;
mod xxl_glue;

pub use alert::{
    AlertChannel, AlertDelivery, AlertDeliveryFilter, AlertFilter, AlertRule, AlertSilence, AlertSilenceSpec, OpenAlert,
};
pub use apply::{ApplyAction, ApplyItem, ApplyOptions, ApplyResult, ApplyTotals, FieldChange, ItemKind};
pub use approval::{Approval, ApprovalFilter};
pub use backfill::{
    Backfill, BackfillAction, BackfillActions, BackfillFilter, BackfillItem, BackfillItemFilter, BackfillItemState,
    BackfillItems, BackfillOrder, BackfillPart, BackfillPlan, BackfillPlanItem, BackfillSpec, BackfillState, Reprocess,
};
pub use calendar::Calendar;
pub use cluster::{
    Cluster, ClusterLateness, Event, EventFilter, Health, HealthCheck, HealthFilter, HealthStatus, Lateness,
    LatenessPart, Node, NodeLateness, NodeState, Repaired, ServerInfo, Shard, ShardMove, ShardOwner, StoreWarning,
};
pub use dashboard::{
    Attention, AttentionKind, Dashboard, DashboardCounters, DashboardFilter, DashboardPoint, FirePeak, FirePeakJob,
    LongRun,
};
pub use flow::{
    Flow, FlowAction, FlowBulletin, FlowChange, FlowChecked, FlowComponent, FlowConnection, FlowDropped,
    FlowFileFilter, FlowItem, FlowItemContent, FlowItemFilter, FlowLine, FlowNode, FlowPool, FlowPoolSize, FlowPut,
    FlowReplay, FlowReplayed, FlowSaveOptions, FlowSummary,
};
pub use flow_history::{FlowCounts, FlowHeld, FlowHistoryFilter, FlowMinute};
pub use job::{Job, JobData, JobFilter, Namespace, NamespaceSpec, Reason, RunNow, WriteOptions};
pub use live::{LiveChange, LiveItem, LiveStats, StreamFilter};
pub use log::{
    LogError, LogErrorFilter, LogFilter, LogFind, LogFound, LogLevel, LogLine, LogMatch, LogPage, LogTextFilter,
};
pub use mainspring_model::AttemptOutcome;
pub use mainspring_model::open::{RunState, Stream as LogStream, TaskState};
pub use matching::{Fit, JobMatch, MatchCode, MatchReason, Taker, TakerKind};
pub use misfire::{MisfireFilter, MisfireItem, MisfireSummary, Misfires, Outage, PolicyMisfires};
pub use operation::{
    Operation, OperationAction, OperationError, OperationSelector, OperationSpec, OperationState, View, ViewFilter,
    ViewSpec,
};
pub use page::{Page, PageFilter};
pub use past::{PastAttempt, PastRun, PastRuns, PastRunsAdded};
pub use preview::{NextFilter, NextFire, Preview, PreviewFire, PreviewNote, PreviewRequest};
pub use queue::{LabelLimit, LabelSettings, Queue, QueueMove, QueueMoved, QueueRate, QueueSettings, RunMove};
pub use queue_history::{QueueHistory, QueueHistoryFilter, QueueLately, QueuePoint};
pub use queue_order::{PriorityChange, QueueAction, QueueChange, QueueEnd, RunPlace, SettingsChange};
pub use queue_preview::{QueueEffect, QueuePreview};
pub use queue_waiting::{QueueReason, QueueShare, QueueWaiting, QueueWaitingFilter};
pub use rerun::{Rerun, RerunAction, RerunChange, RerunPlan, RerunTask};
pub use run::{Attempt, AttemptState, Origin, OutputRef, Run, RunCaller, RunFilter, RunShard, RunSummary};
pub use search::{FacetFilter, FacetValue, Facets};
pub use session::{LoginLink, Session, SessionKind, SignIn};
pub use task::{
    GraphFilter, GraphTask, JobGraph, Marked, RunTask, RunTaskDetail, TaskCancel, TaskCounts, TaskFilter, TaskMark,
};
pub use trigger::{Gap, GapFilter, Reanchored, Trigger, TriggerFilter, TriggerState};
pub use version::{CheckRequest, CheckResult, JobFileFilter, JobVersion, SavedFrom};
pub use webhook::{
    DeliveryState, EVENT_TYPES, Webhook, WebhookDelivery, WebhookRotation, WebhookSpec, event_type_matches,
};
pub use why::{Why, WhyCode, WhyReason};
pub use worker::{
    Worker, WorkerEnd, WorkerHolding, WorkerLine, WorkerLog, WorkerOrders, WorkerPoll, WorkerReceipt, WorkerReport,
    WorkerRun, WorkerSpec, WorkerTask, WorkerTerms, WorkerToken, WorkerTokenSpec,
};
pub use xxl::{XxlApp, XxlAppChange, XxlAppSpec, XxlBreaker, XxlInstance, XxlTokenRotation};
pub use xxl_glue::{XxlGlueChange, XxlGlueHistory, XxlGlueOld, XxlGlueRollback, XxlGlueVersion};

/// Implements `as_str`, `Display` and an `ALL` table for enums whose wire words are their snake-case names.
macro_rules! words {
    ($type:ty: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// Returns the word used on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
use words;
