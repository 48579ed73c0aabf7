//! The routes of the HTTP API: one constant per path, in the notation of axum and OpenAPI.
//!
//! Everything speaks JSON. Errors are `application/problem+json` ([`crate::ProblemDetails`]).
//! Every route but health and signing in wants `Authorization: Bearer TOKEN`, or the cookie of a browser that is signed in.
//!
//! | constant | methods | body → answer |
//! |---|---|---|
//! | [`LIVEZ`], [`READYZ`] | GET | → [`Health`](crate::Health); 503 when failing or draining |
//! | [`METRICS`] | GET | → OpenMetrics text |
//! | [`OPENAPI`] | GET | → the OpenAPI 3.1 document |
//! | [`INFO`] | GET | → [`ServerInfo`](crate::ServerInfo) |
//! | [`REPAIR`] | POST | → [`Repaired`](crate::Repaired) |
//! | [`SESSION`] | GET, POST, DELETE | POST, without a token: [`SignIn`](crate::SignIn) → 204 and a cookie; GET: → [`Session`](crate::Session) |
//! | [`SESSION_LINK`] | POST | → [`LoginLink`](crate::LoginLink) |
//! | [`NAMESPACES`] | GET | → [`Page`](crate::Page) of [`Namespace`](crate::Namespace) |
//! | [`NAMESPACE`] | GET, PUT, DELETE | [`NamespaceSpec`](crate::NamespaceSpec) → [`Namespace`](crate::Namespace) |
//! | [`JOBS`] | GET ([`JobFilter`](crate::JobFilter)) | → [`Page`](crate::Page) of [`Job`](crate::Job) |
//! | [`JOB`] | GET, PUT, PATCH, DELETE | [`JobSpec`](crate::JobSpec), or an RFC 7396 merge patch of one → [`Job`](crate::Job) |
//! | [`JOB_PAUSE`], [`JOB_RESUME`] | POST | [`Reason`](crate::Reason) → [`Job`](crate::Job) |
//! | [`JOB_RUN`] | POST | [`RunNow`](crate::RunNow) → 201 [`Run`](crate::Run) |
//! | [`JOB_HISTORY`] | GET ([`RunFilter`](crate::RunFilter)) | → [`Page`](crate::Page) of final [`Run`](crate::Run)s, newest first |
//! | [`JOB_DATA`] | GET, PUT, DELETE | any JSON object → [`JobData`](crate::JobData) |
//! | [`JOB_VERSIONS`] | GET ([`PageFilter`](crate::PageFilter)) | → [`Page`](crate::Page) of [`JobVersion`](crate::JobVersion), newest first |
//! | [`JOB_VERSION`] | GET | → [`JobVersion`](crate::JobVersion) |
//! | [`JOB_FILE`] | GET ([`JobFileFilter`](crate::JobFileFilter)) | → the job as a job file |
//! | [`JOB_GRAPH`] | GET ([`GraphFilter`](crate::GraphFilter)) | → [`JobGraph`](crate::JobGraph) |
//! | [`CHECK`] | POST | [`CheckRequest`](crate::CheckRequest) → [`CheckResult`](crate::CheckResult) |
//! | [`MISFIRES`] | GET ([`MisfireFilter`](crate::MisfireFilter)) | → [`Misfires`](crate::Misfires), newest first |
//! | [`JOB_WHY`], [`TRIGGER_WHY`], [`RUN_WHY`] | GET | → [`Why`](crate::Why) |
//! | [`TRIGGERS`] | GET ([`TriggerFilter`](crate::TriggerFilter)) | → [`Page`](crate::Page) of [`Trigger`](crate::Trigger) |
//! | [`TRIGGER`] | GET | → [`Trigger`](crate::Trigger) |
//! | [`TRIGGER_GAPS`] | GET ([`GapFilter`](crate::GapFilter)) | → [`Page`](crate::Page) of [`Gap`](crate::Gap), newest first |
//! | [`TRIGGERS_REANCHOR`] | POST | → [`Reanchored`](crate::Reanchored) |
//! | [`TRIGGER_REANCHOR`] | POST | → [`Trigger`](crate::Trigger) |
//! | [`TRIGGER_PAUSE`], [`TRIGGER_RESUME`] | POST | [`Reason`](crate::Reason) → [`Trigger`](crate::Trigger) |
//! | [`PAST_RUNS`] | POST | [`PastRuns`](crate::PastRuns) → [`PastRunsAdded`](crate::PastRunsAdded) |
//! | [`RUNS`] | GET ([`RunFilter`](crate::RunFilter)) | → [`Page`](crate::Page) of [`Run`](crate::Run), newest first, live and final |
//! | [`RUN`] | GET | → [`Run`](crate::Run) |
//! | [`RUN_CANCEL`] | POST | [`Reason`](crate::Reason) → 202 [`Run`](crate::Run) |
//! | [`RUN_RERUN`] | POST | [`Rerun`](crate::Rerun) → 201 the new [`Run`](crate::Run) |
//! | [`RUN_RERUN_PLAN`] | POST | [`Rerun`](crate::Rerun) → [`RerunPlan`](crate::RerunPlan) |
//! | [`RUN_CASCADE`] | POST | [`Rerun`](crate::Rerun) → 201 the [`Backfill`](crate::Backfill) that makes the run |
//! | [`RUN_CASCADE_PLAN`] | POST | [`Rerun`](crate::Rerun) → [`RerunPlan`](crate::RerunPlan) |
//! | [`RUN_ATTEMPTS`] | GET | → array of [`Attempt`](crate::Attempt), first to last |
//! | [`RUN_PAUSE`], [`RUN_RESUME`] | POST | [`Reason`](crate::Reason) → 202 [`Run`](crate::Run) |
//! | [`RUN_TASKS`] | GET ([`TaskFilter`](crate::TaskFilter)) | → [`Page`](crate::Page) of [`RunTask`](crate::RunTask), in the order of their names |
//! | [`RUN_TASK`] | GET | → [`RunTaskDetail`](crate::RunTaskDetail) |
//! | [`RUN_TASK_CANCEL`] | POST | [`TaskCancel`](crate::TaskCancel) → 202 [`RunTask`](crate::RunTask) |
//! | [`RUN_TASK_SKIP`], [`RUN_TASK_APPROVE`], [`RUN_TASK_REJECT`] | POST | [`Reason`](crate::Reason) → 202 [`RunTask`](crate::RunTask) |
//! | [`RUN_TASK_MARK`] | POST | [`TaskMark`](crate::TaskMark) → 202 [`RunTask`](crate::RunTask) |
//! | [`APPROVALS`] | GET ([`ApprovalFilter`](crate::ApprovalFilter)) | → [`Page`](crate::Page) of [`Approval`](crate::Approval), newest first |
//! | [`RUN_OUTPUT`] | GET | → the JSON that the run has left |
//! | [`RUN_LOG`] | GET ([`LogFilter`](crate::LogFilter)) | → [`LogPage`](crate::LogPage), or an event stream with `follow=true` |
//! | [`RUN_LOG_FIND`] | GET ([`LogFind`](crate::LogFind)) | → [`LogFound`](crate::LogFound) |
//! | [`RUN_LOG_ERRORS`] | GET ([`LogErrorFilter`](crate::LogErrorFilter)) | → [`LogError`](crate::LogError) |
//! | [`RUN_LOG_TEXT`] | GET ([`LogTextFilter`](crate::LogTextFilter)) | → the log as text, however long it is |
//! | [`FACETS`] | GET ([`FacetFilter`](crate::FacetFilter)) | → [`Facets`](crate::Facets) |
//! | [`BACKFILL_PLAN`] | POST ([`PageFilter`](crate::PageFilter)) | [`BackfillSpec`](crate::BackfillSpec) → [`BackfillPlan`](crate::BackfillPlan) |
//! | [`JOB_BACKFILLS`] | POST | [`BackfillSpec`](crate::BackfillSpec) → 201 [`Backfill`](crate::Backfill) |
//! | [`BACKFILLS`] | GET ([`BackfillFilter`](crate::BackfillFilter)) | → [`Page`](crate::Page) of [`Backfill`](crate::Backfill), newest first |
//! | [`BACKFILL`] | GET | → [`Backfill`](crate::Backfill) |
//! | [`BACKFILL_ITEMS`] | GET ([`BackfillItemFilter`](crate::BackfillItemFilter)) | → [`Page`](crate::Page) of [`BackfillItem`](crate::BackfillItem), in their order |
//! | [`BACKFILL_PAUSE`], [`BACKFILL_RESUME`], [`BACKFILL_CANCEL`], [`BACKFILL_RETRY`] | POST | [`Reason`](crate::Reason) → 202 [`Backfill`](crate::Backfill) |
//! | [`CALENDARS`] | GET ([`PageFilter`](crate::PageFilter)) | → [`Page`](crate::Page) of [`Calendar`](crate::Calendar) |
//! | [`CALENDAR`] | GET, PUT, DELETE | [`CalendarSpec`](crate::CalendarSpec) → [`Calendar`](crate::Calendar) |
//! | [`EXPORT`] | GET | → [`Bundle`](crate::Bundle) that `apply` takes back |
//! | [`APPLY`] | POST ([`ApplyOptions`](crate::ApplyOptions)) | [`Bundle`](crate::Bundle) → [`ApplyResult`](crate::ApplyResult) |
//! | [`PREVIEW`] | POST | [`PreviewRequest`](crate::PreviewRequest) → [`Preview`](crate::Preview) |
//! | [`NEXT`] | GET ([`NextFilter`](crate::NextFilter)) | → array of [`NextFire`](crate::NextFire), earliest first |
//! | [`DASHBOARD`] | GET ([`DashboardFilter`](crate::DashboardFilter)) | → [`Dashboard`](crate::Dashboard) |
//! | [`EVENTS`] | GET ([`EventFilter`](crate::EventFilter)) | → event stream of [`Event`](crate::Event) |
//! | [`NODES`] | GET | → array of [`Node`](crate::Node) |
//! | [`CLUSTER`] | GET | → [`Cluster`](crate::Cluster) |
//! | [`LATENESS`] | GET | → [`ClusterLateness`](crate::ClusterLateness) |
//! | [`SHARDS`] | GET | → array of [`ShardOwner`](crate::ShardOwner) |
//! | [`SHARD_MOVES`] | GET | → array of [`ShardMove`](crate::ShardMove), newest first |
//! | [`STREAM`] | GET ([`StreamFilter`](crate::StreamFilter)) | → event stream of [`LiveChange`](crate::LiveChange) and [`LiveStats`](crate::LiveStats) |
//! | [`OPERATIONS`] | GET ([`PageFilter`](crate::PageFilter)), POST | [`OperationSpec`](crate::OperationSpec) → 202 [`Operation`](crate::Operation); GET: [`Page`](crate::Page) of them, newest first |
//! | [`OPERATION`] | GET | → [`Operation`](crate::Operation) |
//! | [`OPERATION_CANCEL`] | POST | → 202 [`Operation`](crate::Operation) |
//! | [`VIEWS`] | GET ([`ViewFilter`](crate::ViewFilter)) | → array of [`View`](crate::View) |
//! | [`VIEW`] | GET, PUT, DELETE | [`ViewSpec`](crate::ViewSpec) → [`View`](crate::View) |
//! | [`NODE_DRAIN`], [`NODE_UNDRAIN`] | POST | [`Reason`](crate::Reason) → 202 [`Node`](crate::Node) |
//! | [`JOB_MATCH`] | GET | → [`JobMatch`](crate::JobMatch) |
//! | [`QUEUES`] | GET | array of [`Queue`](crate::Queue) |
//! | [`QUEUE`] | GET, PUT | [`QueueSettings`](crate::QueueSettings) → [`Queue`](crate::Queue) |
//! | [`QUEUE_HISTORY`] | GET ([`QueueHistoryFilter`](crate::QueueHistoryFilter)) | → [`QueueHistory`](crate::QueueHistory) |
//! | [`QUEUE_WAITING`] | GET ([`QueueWaitingFilter`](crate::QueueWaitingFilter)) | → [`QueueWaiting`](crate::QueueWaiting) |
//! | [`QUEUE_MOVE`] | POST | [`QueueMove`](crate::QueueMove) → [`QueueMoved`](crate::QueueMoved) |
//! | [`RUN_MOVE`] | POST | [`RunMove`](crate::RunMove) → [`Run`](crate::Run) |
//! | [`RUN_PLACE`] | POST | [`RunPlace`](crate::RunPlace) → [`Run`](crate::Run) |
//! | [`RUN_DROP`] | POST | [`Reason`](crate::Reason) → [`Run`](crate::Run) |
//! | [`QUEUE_PREVIEW`] | POST | [`QueueSettings`](crate::QueueSettings) → [`QueuePreview`](crate::QueuePreview) |
//! | [`QUEUE_CHANGES`] | GET ([`PageFilter`](crate::PageFilter)) | → [`Page`](crate::Page) of [`QueueChange`](crate::QueueChange), newest first |
//! | [`QUEUE_PAUSE`], [`QUEUE_RESUME`] | POST | [`Reason`](crate::Reason) → [`Queue`](crate::Queue) |
//! | [`LABELS`] | GET | array of [`LabelLimit`](crate::LabelLimit) |
//! | [`LABEL`] | PUT, DELETE | [`LabelSettings`](crate::LabelSettings) → [`LabelLimit`](crate::LabelLimit) |
//! | [`WORKERS`] | GET, POST | [`WorkerSpec`](crate::WorkerSpec) → 201 [`WorkerTerms`](crate::WorkerTerms); GET: array of [`Worker`](crate::Worker) |
//! | [`WORKER`] | GET, DELETE | → [`Worker`](crate::Worker) |
//! | [`WORKER_DRAIN`], [`WORKER_UNDRAIN`] | POST | [`Reason`](crate::Reason) → [`Worker`](crate::Worker) |
//! | [`WORKER_POLL`] | POST | [`WorkerPoll`](crate::WorkerPoll) → [`WorkerOrders`](crate::WorkerOrders) |
//! | [`WORKER_REPORT`] | POST | [`WorkerReport`](crate::WorkerReport) → [`WorkerReceipt`](crate::WorkerReceipt) |
//! | [`WORKER_TOKENS`] | GET, POST | [`WorkerTokenSpec`](crate::WorkerTokenSpec) → 201 [`WorkerToken`](crate::WorkerToken); GET: array of them |
//! | [`WORKER_TOKEN`] | DELETE | |
//! | [`XXL_APPS`] | GET, POST | [`XxlAppSpec`](crate::XxlAppSpec) → 201 [`XxlApp`](crate::XxlApp) with its token; GET: array of them |
//! | [`XXL_APP`] | GET, POST, DELETE | [`XxlAppChange`](crate::XxlAppChange) → [`XxlApp`](crate::XxlApp) |
//! | [`XXL_APP_TOKEN`] | POST | [`XxlTokenRotation`](crate::XxlTokenRotation) → [`XxlApp`](crate::XxlApp) with its token |
//! | [`XXL_INSTANCES`] | GET | → array of [`XxlInstance`](crate::XxlInstance) |
//! | [`XXL_GLUE`] | GET, POST | [`XxlGlueChange`](crate::XxlGlueChange) → the new [`XxlGlueVersion`](crate::XxlGlueVersion); GET: array of them without sources, newest first |
//! | [`XXL_GLUE_VERSION`] | GET | → [`XxlGlueVersion`](crate::XxlGlueVersion) with its source |
//! | [`XXL_GLUE_ROLLBACK`] | POST | [`XxlGlueRollback`](crate::XxlGlueRollback) → the new [`XxlGlueVersion`](crate::XxlGlueVersion) |
//! | [`XXL_GLUE_HISTORY`] | POST | [`XxlGlueHistory`](crate::XxlGlueHistory) → array of [`XxlGlueVersion`](crate::XxlGlueVersion) |
//! | [`WEBHOOKS`] | GET, POST | [`WebhookSpec`](crate::WebhookSpec) → 201 [`Webhook`](crate::Webhook); GET: array of them |
//! | [`WEBHOOK`] | GET, DELETE | → [`Webhook`](crate::Webhook) |
//! | [`WEBHOOK_SECRET`] | POST ([`WebhookRotation`](crate::WebhookRotation)) | → [`Webhook`](crate::Webhook) with another secret |
//! | [`WEBHOOK_RESUME`] | POST | → [`Webhook`](crate::Webhook) |
//! | [`WEBHOOK_TEST`] | POST | → 202 [`WebhookDelivery`](crate::WebhookDelivery) |
//! | [`ALERTS`] | GET ([`AlertFilter`](crate::AlertFilter)) | → array of [`OpenAlert`](crate::OpenAlert) |
//! | [`ALERT_CHANNELS`] | GET | → array of [`AlertChannel`](crate::AlertChannel) |
//! | [`ALERT_CHANNEL`] | GET, PUT, DELETE | [`AlertChannelSpec`](crate::AlertChannelSpec) → [`AlertChannel`](crate::AlertChannel) |
//! | [`ALERT_CHANNEL_TEST`] | POST | → [`AlertDelivery`](crate::AlertDelivery) |
//! | [`ALERT_RULES`] | GET | → array of [`AlertRule`](crate::AlertRule) |
//! | [`ALERT_RULE`] | GET, PUT, DELETE | [`AlertRuleSpec`](crate::AlertRuleSpec) → [`AlertRule`](crate::AlertRule) |
//! | [`ALERT_SILENCES`] | GET, POST | [`AlertSilenceSpec`](crate::AlertSilenceSpec) → 201 [`AlertSilence`](crate::AlertSilence); GET: array of them |
//! | [`ALERT_SILENCE`] | DELETE | |
//! | [`ALERT_DELIVERIES`] | GET ([`AlertDeliveryFilter`](crate::AlertDeliveryFilter)) | → [`Page`](crate::Page) of [`AlertDelivery`](crate::AlertDelivery), newest first |
//! | [`ALERT_REDELIVERY`] | POST | → 202 [`AlertDelivery`](crate::AlertDelivery) |
//! | [`FLOWS`] | GET | array of [`FlowSummary`](crate::FlowSummary) |
//! | [`FLOW`] | GET, PUT ([`FlowSpec`](crate::FlowSpec), [`FlowSaveOptions`](crate::FlowSaveOptions)), DELETE | → [`Flow`](crate::Flow) |
//! | [`FLOW_COMPONENTS`] | POST ([`FlowChange`](crate::FlowChange)) | → [`Flow`](crate::Flow) |
//! | [`FLOW_WHY`] | GET | → [`FlowComponent`](crate::FlowComponent) |
//! | [`FLOW_LOG`] | GET | array of [`FlowLine`](crate::FlowLine) |
//! | [`FLOW_HISTORY`] | GET ([`FlowHistoryFilter`](crate::FlowHistoryFilter)) | array of [`FlowMinute`](crate::FlowMinute) |
//! | [`FLOW_QUEUE`] | GET, DELETE ([`FlowItemFilter`](crate::FlowItemFilter)) | array of [`FlowItem`](crate::FlowItem); DELETE: [`FlowDropped`](crate::FlowDropped) |
//! | [`FLOW_INPUT`] | POST (bytes) | → [`FlowPut`](crate::FlowPut) |
//! | [`FLOW_POOLS`] | GET | array of [`FlowPool`](crate::FlowPool) |
//! | [`FLOW_POOL`] | PUT ([`FlowPoolSize`](crate::FlowPoolSize)) | → [`FlowPool`](crate::FlowPool) |
//! | [`FLOW_REPLAY`] | POST ([`FlowReplay`](crate::FlowReplay)) | → [`FlowReplayed`](crate::FlowReplayed) |
//! | [`FLOW_ITEM`] | GET | → [`FlowItemContent`](crate::FlowItemContent) |
//! | [`FLOW_PAYLOAD`] | GET | → the bytes of an item's payload |
//! | [`FLOW_FILE`] | GET ([`FlowFileFilter`](crate::FlowFileFilter)) | → the flow as text of a flow file |
//! | [`FLOW_CHECK`] | POST ([`FlowSpec`](crate::FlowSpec)) | → [`FlowChecked`](crate::FlowChecked) |
//! | [`WEBHOOK_DELIVERIES`] | GET ([`PageFilter`](crate::PageFilter)) | → [`Page`](crate::Page) of [`WebhookDelivery`](crate::WebhookDelivery), newest first |
//!
//! **Headers.** PUT, PATCH and DELETE of a job, its data, a calendar or namespace take `If-Match: "VERSION"`;
//! a stale one is 412 `resource.stale`. GET of such a resource answers `ETag: "VERSION"`. PUT with
//! `If-None-Match: *` only creates. Every POST takes `Idempotency-Key` (1 to 128 visible ASCII
//! characters): a repeat with the same body gets the first answer again. Every answer carries
//! `X-Request-Id`.
//!
//! **Queries.** `?dry_run=true` on PUT, PATCH, DELETE and apply checks everything and changes
//! nothing. `-` in place of a namespace in the path of a list of jobs, runs or triggers means all. Lists take `limit` (1 to 1,000, default 100) and the `cursor` of the page before.
//!
//! **Event streams** are `text/event-stream`. [`EVENTS`] sends each event with its `id`, and
//! resumes after `Last-Event-ID`. [`RUN_LOG`] sends `event: line` with a
//! [`LogLine`](crate::LogLine) and its line number as `id`, and one closing `event: end` with the
//! final [`Run`](crate::Run). A comment line every 15 s keeps idle streams open.

/// Header in which a caller says who asks, such as `ann@laptop`: noted with what is saved, and not checked. At most 128 characters.
pub const BY_HEADER: &str = "mainspring-by";
/// Process alive and timer loop ticking. No authentication.
pub const LIVEZ: &str = "/livez";
/// Store reachable, migrations done, member of the cluster, not draining; `?verbose` lists the checks. No authentication.
pub const READYZ: &str = "/readyz";
/// Prometheus and OpenMetrics figures.
pub const METRICS: &str = "/metrics";
/// The OpenAPI 3.1 description of all this.
pub const OPENAPI: &str = "/api/v1/openapi.json";
/// Version, node and store of the server that answers.
pub const INFO: &str = "/api/v1/info";
/// Compares what is counted with what there is, and mends it.
pub const REPAIR: &str = "/api/v1/repair";
/// The session of a browser. POST: begins one. DELETE: ends it.
pub const SESSION: &str = "/api/v1/session";
/// Makes a link that signs a browser in.
pub const SESSION_LINK: &str = "/api/v1/session/link";
/// All namespaces.
pub const NAMESPACES: &str = "/api/v1/namespaces";
/// One namespace.
pub const NAMESPACE: &str = "/api/v1/namespaces/{namespace}";
/// Jobs of a namespace.
pub const JOBS: &str = "/api/v1/namespaces/{namespace}/jobs";
/// One job.
pub const JOB: &str = "/api/v1/namespaces/{namespace}/jobs/{job}";
/// Pauses a job: none of its triggers fires once this is answered.
pub const JOB_PAUSE: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/pause";
/// Ends the pause of a job.
pub const JOB_RESUME: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/resume";
/// Starts a run of a job now.
pub const JOB_RUN: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/run";
/// Final runs of a job, newest first.
pub const JOB_HISTORY: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/history";
/// What a job keeps between its runs. `ETag` and `If-Match` are its revision.
pub const JOB_DATA: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/data";
/// Versions of a job that are kept, newest first.
pub const JOB_VERSIONS: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/versions";
/// One version of a job.
pub const JOB_VERSION: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}";
/// A job as a job file.
pub const JOB_FILE: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/file";
/// The graph of a workflow.
pub const JOB_GRAPH: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/graph";
/// Checks a job file without saving it.
pub const CHECK: &str = "/api/v1/namespaces/{namespace}/check";
/// What was not fired, over all triggers.
pub const MISFIRES: &str = "/api/v1/misfires";
/// Why a job does not run now.
pub const JOB_WHY: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/why";
/// Triggers of a namespace.
pub const TRIGGERS: &str = "/api/v1/namespaces/{namespace}/triggers";
/// One trigger.
pub const TRIGGER: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}";
/// Instants of a trigger that did not fire, and why.
pub const TRIGGER_GAPS: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/gaps";
/// Why a trigger does not fire now.
pub const TRIGGER_WHY: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/why";
/// Pauses a trigger.
pub const TRIGGER_PAUSE: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/pause";
/// Ends the pause of a trigger.
pub const TRIGGER_RESUME: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/resume";
/// One trigger, let fire again before what it has recorded for the future.
pub const TRIGGER_REANCHOR: &str = "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/reanchor";
/// All triggers of a namespace, let fire again before what they have recorded for the future.
pub const TRIGGERS_REANCHOR: &str = "/api/v1/namespaces/{namespace}/triggers/reanchor";
/// Brings runs of a job that another scheduler has executed.
pub const PAST_RUNS: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/past-runs";
/// Runs of a namespace, newest first.
pub const RUNS: &str = "/api/v1/namespaces/{namespace}/runs";
/// One run, live or final.
pub const RUN: &str = "/api/v1/runs/{run}";
/// Why a run does not run now.
pub const RUN_WHY: &str = "/api/v1/runs/{run}/why";
/// Asks for a run to be cancelled.
pub const RUN_CANCEL: &str = "/api/v1/runs/{run}/cancel";
/// Starts a new run with the same input and job version.
pub const RUN_RERUN: &str = "/api/v1/runs/{run}/rerun";
/// What a rerun would do.
pub const RUN_RERUN_PLAN: &str = "/api/v1/runs/{run}/rerun/plan";
/// Starts a rerun with what depends on it in other workflows.
pub const RUN_CASCADE: &str = "/api/v1/runs/{run}/rerun/cascade";
/// What such a rerun would do.
pub const RUN_CASCADE_PLAN: &str = "/api/v1/runs/{run}/rerun/cascade/plan";
/// Lets nothing new start in a workflow run.
pub const RUN_PAUSE: &str = "/api/v1/runs/{run}/pause";
/// Ends the pause of a workflow run.
pub const RUN_RESUME: &str = "/api/v1/runs/{run}/resume";
/// Tasks of a workflow run.
pub const RUN_TASKS: &str = "/api/v1/runs/{run}/tasks";
/// One task of a workflow run, and what it waits for.
pub const RUN_TASK: &str = "/api/v1/runs/{run}/tasks/{task}";
/// Ends a task.
pub const RUN_TASK_CANCEL: &str = "/api/v1/runs/{run}/tasks/{task}/cancel";
/// Leaves a task out that has not started.
pub const RUN_TASK_SKIP: &str = "/api/v1/runs/{run}/tasks/{task}/skip";
/// Takes a task for succeeded or failed.
pub const RUN_TASK_MARK: &str = "/api/v1/runs/{run}/tasks/{task}/mark";
/// Approves what a task asks for.
pub const RUN_TASK_APPROVE: &str = "/api/v1/runs/{run}/tasks/{task}/approve";
/// Rejects what a task asks for.
pub const RUN_TASK_REJECT: &str = "/api/v1/runs/{run}/tasks/{task}/reject";
/// Tasks of workflow runs that wait for somebody's approval.
pub const APPROVALS: &str = "/api/v1/approvals";
/// Attempts of a run.
pub const RUN_ATTEMPTS: &str = "/api/v1/runs/{run}/attempts";
/// What a run has left, whole.
pub const RUN_OUTPUT: &str = "/api/v1/runs/{run}/output";
/// Log of a run.
pub const RUN_LOG: &str = "/api/v1/runs/{run}/log";
/// Lines of a log that match.
pub const RUN_LOG_FIND: &str = "/api/v1/runs/{run}/log/find";
/// The first error of an attempt.
pub const RUN_LOG_ERRORS: &str = "/api/v1/runs/{run}/log/errors";
/// The log of a run as plain text, for a file.
pub const RUN_LOG_TEXT: &str = "/api/v1/runs/{run}/log/text";
/// What can be written at a place of a query, for completion.
pub const FACETS: &str = "/api/v1/facets";
/// What a backfill of a job would do. Nothing changes.
pub const BACKFILL_PLAN: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/backfills/plan";
/// Starts a backfill of a job.
pub const JOB_BACKFILLS: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/backfills";
/// Backfills of a namespace, newest first.
pub const BACKFILLS: &str = "/api/v1/namespaces/{namespace}/backfills";
/// One backfill.
pub const BACKFILL: &str = "/api/v1/backfills/{backfill}";
/// The fire times that a backfill runs.
pub const BACKFILL_ITEMS: &str = "/api/v1/backfills/{backfill}/items";
/// Starts no more runs of a backfill.
pub const BACKFILL_PAUSE: &str = "/api/v1/backfills/{backfill}/pause";
/// Ends the pause of a backfill.
pub const BACKFILL_RESUME: &str = "/api/v1/backfills/{backfill}/resume";
/// Ends a backfill with its runs.
pub const BACKFILL_CANCEL: &str = "/api/v1/backfills/{backfill}/cancel";
/// Runs what failed or was cancelled again.
pub const BACKFILL_RETRY: &str = "/api/v1/backfills/{backfill}/retry-failed";
/// Calendars of a namespace.
pub const CALENDARS: &str = "/api/v1/namespaces/{namespace}/calendars";
/// One calendar.
pub const CALENDAR: &str = "/api/v1/namespaces/{namespace}/calendars/{calendar}";
/// Jobs and calendars of a namespace as one bundle.
pub const EXPORT: &str = "/api/v1/namespaces/{namespace}/export";
/// Makes the server hold what a bundle says; everything is checked before anything is written.
pub const APPLY: &str = "/api/v1/apply";
/// Explains a schedule and lists its next fire times; nothing is stored.
pub const PREVIEW: &str = "/api/v1/schedules/preview";
/// The next fire times of all triggers.
pub const NEXT: &str = "/api/v1/next";
/// The whole at a glance.
pub const DASHBOARD: &str = "/api/v1/dashboard";
/// Everything that happens, as it happens.
pub const EVENTS: &str = "/api/v1/events";
/// Server processes of the cluster.
pub const NODES: &str = "/api/v1/nodes";
/// Nodes and shards of the cluster.
pub const CLUSTER: &str = "/api/v1/cluster";
/// How late handlers were entered lately, on each node and altogether.
pub const LATENESS: &str = "/api/v1/cluster/lateness";
/// Who has which shard, and since when.
pub const SHARDS: &str = "/api/v1/cluster/shards";
/// The last moves of shards from node to node.
pub const SHARD_MOVES: &str = "/api/v1/cluster/moves";
/// What changes, for the console.
pub const STREAM: &str = "/api/v1/stream";
/// Operations over many jobs. POST: begins one.
pub const OPERATIONS: &str = "/api/v1/operations";
/// One operation.
pub const OPERATION: &str = "/api/v1/operations/{operation}";
/// Asks an operation to end.
pub const OPERATION_CANCEL: &str = "/api/v1/operations/{operation}/cancel";
/// Saved views of the console.
pub const VIEWS: &str = "/api/v1/views";
/// One of them, by name.
pub const VIEW: &str = "/api/v1/views/{view}";
/// Asks a node, by name or incarnation, to give its shards up.
pub const NODE_DRAIN: &str = "/api/v1/cluster/nodes/{node}/drain";
/// Lets a node take shards again.
pub const NODE_UNDRAIN: &str = "/api/v1/cluster/nodes/{node}/undrain";
/// Who could execute the next run of a job.
pub const JOB_MATCH: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/match";
/// Queues.
pub const QUEUES: &str = "/api/v1/queues";
/// One queue. PUT: sets how runs leave it.
pub const QUEUE: &str = "/api/v1/queues/{queue}";
/// How a queue did over time.
pub const QUEUE_HISTORY: &str = "/api/v1/queues/{queue}/history";
/// What waits in a queue, and why.
pub const QUEUE_WAITING: &str = "/api/v1/queues/{queue}/waiting";
/// Pauses a queue.
pub const QUEUE_PAUSE: &str = "/api/v1/queues/{queue}/pause";
/// Ends the pause of a queue.
pub const QUEUE_RESUME: &str = "/api/v1/queues/{queue}/resume";
/// Puts runs that wait in a queue into another one.
pub const QUEUE_MOVE: &str = "/api/v1/queues/{queue}/move";
/// Puts a run that waits into another queue.
pub const RUN_MOVE: &str = "/api/v1/runs/{run}/move";
/// Gives a run that waits another place in its queue.
pub const RUN_PLACE: &str = "/api/v1/runs/{run}/place";
/// Cancels a run if it still waits in its queue.
pub const RUN_DROP: &str = "/api/v1/runs/{run}/drop";
/// What other limits of a queue would do. Nothing is changed.
pub const QUEUE_PREVIEW: &str = "/api/v1/queues/{queue}/preview";
/// What people have changed about a queue.
pub const QUEUE_CHANGES: &str = "/api/v1/queues/{queue}/changes";
/// Labels of jobs whose runs are limited.
pub const LABELS: &str = "/api/v1/labels";
/// One of them, as `NAME=VALUE`. PUT: sets its limit.
pub const LABEL: &str = "/api/v1/labels/{label}";
/// Workers that have joined.
pub const WORKERS: &str = "/api/v1/workers";
/// One worker. DELETE: it leaves; what it still executes is lost.
pub const WORKER: &str = "/api/v1/workers/{worker}";
/// Has a worker be given nothing new; it finishes what it has.
pub const WORKER_DRAIN: &str = "/api/v1/workers/{worker}/drain";
/// Lets a worker be given runs again.
pub const WORKER_UNDRAIN: &str = "/api/v1/workers/{worker}/undrain";
/// Asks what there is to do for a worker. Held while there is nothing to say.
pub const WORKER_POLL: &str = "/api/v1/workers/{worker}/poll";
/// Says what became of a worker's runs.
pub const WORKER_REPORT: &str = "/api/v1/workers/{worker}/report";
/// Tokens of workers.
pub const WORKER_TOKENS: &str = "/api/v1/worker-tokens";
/// One token of workers, by name. DELETE: it opens nothing any more.
pub const WORKER_TOKEN: &str = "/api/v1/worker-tokens/{token}";

/// Addresses that are told of events.
pub const WEBHOOKS: &str = "/api/v1/webhooks";
/// One webhook, by name.
pub const WEBHOOK: &str = "/api/v1/webhooks/{webhook}";
/// Gives a webhook another secret.
pub const WEBHOOK_SECRET: &str = "/api/v1/webhooks/{webhook}/secret";
/// Lets a webhook go on that rests.
pub const WEBHOOK_RESUME: &str = "/api/v1/webhooks/{webhook}/resume";
/// Sends a webhook a message for a test.
pub const WEBHOOK_TEST: &str = "/api/v1/webhooks/{webhook}/test";
/// What was sent to a webhook, newest first.
pub const WEBHOOK_DELIVERIES: &str = "/api/v1/webhooks/{webhook}/deliveries";
/// What is wrong with jobs that somebody is told of.
pub const ALERTS: &str = "/api/v1/alerts";
/// Where alerts are sent.
pub const ALERT_CHANNELS: &str = "/api/v1/alert-channels";
/// One channel, by name.
pub const ALERT_CHANNEL: &str = "/api/v1/alert-channels/{channel}";
/// Sends a channel a message for a test.
pub const ALERT_CHANNEL_TEST: &str = "/api/v1/alert-channels/{channel}/test";
/// What is told to whom, for many jobs.
pub const ALERT_RULES: &str = "/api/v1/alert-rules";
/// One rule, by name.
pub const ALERT_RULE: &str = "/api/v1/alert-rules/{rule}";
/// What is not told for a while.
pub const ALERT_SILENCES: &str = "/api/v1/alert-silences";
/// One silence, by id. DELETE: it ends now.
pub const ALERT_SILENCE: &str = "/api/v1/alert-silences/{silence}";
/// What was sent to channels, newest first.
pub const ALERT_DELIVERIES: &str = "/api/v1/alert-deliveries";
/// Sends a message again.
pub const ALERT_REDELIVERY: &str = "/api/v1/alert-deliveries/{delivery}/redeliver";
/// Apps of XXL-JOB's executors.
pub const XXL_APPS: &str = "/api/v1/xxl/apps";
/// One app. POST changes it.
pub const XXL_APP: &str = "/api/v1/xxl/apps/{app}";
/// Replaces the token of an app.
pub const XXL_APP_TOKEN: &str = "/api/v1/xxl/apps/{app}/token";
/// Executors of all apps.
pub const XXL_INSTANCES: &str = "/api/v1/xxl/instances";
/// Versions of the script of a job of XXL-JOB's executors.
pub const XXL_GLUE: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/glue";
/// Versions of a script that XXL-JOB kept.
pub const XXL_GLUE_HISTORY: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/glue-history";
/// One version of a script.
pub const XXL_GLUE_VERSION: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/glue/{version}";
/// Makes a version of a script the current one again.
pub const XXL_GLUE_ROLLBACK: &str = "/api/v1/namespaces/{namespace}/jobs/{job}/glue/{version}/rollback";

/// Flows of all namespaces.
pub const FLOWS: &str = "/api/v1/flows";
/// One flow.
pub const FLOW: &str = "/api/v1/namespaces/{namespace}/flows/{flow}";
/// Starts, stops, terminates or runs components of a flow once.
pub const FLOW_COMPONENTS: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/components";
/// Why a component runs or does not.
pub const FLOW_WHY: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/why";
/// The last lines of a component's log.
pub const FLOW_LOG: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/log";
/// What a flow did minute by minute.
pub const FLOW_HISTORY: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/history";
/// Puts an item into a component with `http_in`: the body is its payload, query parameters are its attributes.
pub const FLOW_INPUT: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/items";
/// Pools of permits of flows.
pub const FLOW_POOLS: &str = "/api/v1/flow-pools";
/// One pool of permits of flows. PUT sets its size on every node.
pub const FLOW_POOL: &str = "/api/v1/flow-pools/{pool}";
/// Items that wait in a connection. DELETE: removes them.
pub const FLOW_QUEUE: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/queues/{connection}";
/// Moves items that wait in a connection to another one.
pub const FLOW_REPLAY: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/queues/{connection}/replay";
/// Where an item is and what it holds.
pub const FLOW_ITEM: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/items/{item}";
/// The payload of an item, whole.
pub const FLOW_PAYLOAD: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/items/{item}/payload";
/// A flow as text.
pub const FLOW_FILE: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/file";
/// Checks a flow without saving it.
pub const FLOW_CHECK: &str = "/api/v1/namespaces/{namespace}/flows/{flow}/check";

/// Every path with its methods, for route-table tests and for declaring permissions.
pub const ALL: &[(&str, &[&str])] = &[
    (LIVEZ, &["GET"]),
    (READYZ, &["GET"]),
    (METRICS, &["GET"]),
    (OPENAPI, &["GET"]),
    (INFO, &["GET"]),
    (REPAIR, &["POST"]),
    (SESSION, &["GET", "POST", "DELETE"]),
    (SESSION_LINK, &["POST"]),
    (NAMESPACES, &["GET"]),
    (NAMESPACE, &["GET", "PUT", "DELETE"]),
    (JOBS, &["GET"]),
    (JOB, &["GET", "PUT", "PATCH", "DELETE"]),
    (JOB_PAUSE, &["POST"]),
    (JOB_RESUME, &["POST"]),
    (JOB_RUN, &["POST"]),
    (JOB_HISTORY, &["GET"]),
    (JOB_DATA, &["GET", "PUT", "DELETE"]),
    (JOB_VERSIONS, &["GET"]),
    (JOB_VERSION, &["GET"]),
    (JOB_FILE, &["GET"]),
    (JOB_GRAPH, &["GET"]),
    (CHECK, &["POST"]),
    (MISFIRES, &["GET"]),
    (JOB_WHY, &["GET"]),
    (TRIGGERS, &["GET"]),
    (TRIGGER, &["GET"]),
    (TRIGGER_GAPS, &["GET"]),
    (TRIGGER_WHY, &["GET"]),
    (TRIGGER_PAUSE, &["POST"]),
    (TRIGGER_RESUME, &["POST"]),
    (TRIGGER_REANCHOR, &["POST"]),
    (TRIGGERS_REANCHOR, &["POST"]),
    (PAST_RUNS, &["POST"]),
    (RUNS, &["GET"]),
    (RUN, &["GET"]),
    (RUN_CANCEL, &["POST"]),
    (RUN_RERUN, &["POST"]),
    (RUN_RERUN_PLAN, &["POST"]),
    (RUN_CASCADE, &["POST"]),
    (RUN_CASCADE_PLAN, &["POST"]),
    (RUN_PAUSE, &["POST"]),
    (RUN_RESUME, &["POST"]),
    (RUN_TASKS, &["GET"]),
    (RUN_TASK, &["GET"]),
    (RUN_TASK_CANCEL, &["POST"]),
    (RUN_TASK_SKIP, &["POST"]),
    (RUN_TASK_MARK, &["POST"]),
    (RUN_TASK_APPROVE, &["POST"]),
    (RUN_TASK_REJECT, &["POST"]),
    (APPROVALS, &["GET"]),
    (RUN_ATTEMPTS, &["GET"]),
    (RUN_WHY, &["GET"]),
    (RUN_OUTPUT, &["GET"]),
    (RUN_LOG, &["GET"]),
    (RUN_LOG_FIND, &["GET"]),
    (RUN_LOG_ERRORS, &["GET"]),
    (RUN_LOG_TEXT, &["GET"]),
    (FACETS, &["GET"]),
    (BACKFILL_PLAN, &["POST"]),
    (JOB_BACKFILLS, &["POST"]),
    (BACKFILLS, &["GET"]),
    (BACKFILL, &["GET"]),
    (BACKFILL_ITEMS, &["GET"]),
    (BACKFILL_PAUSE, &["POST"]),
    (BACKFILL_RESUME, &["POST"]),
    (BACKFILL_CANCEL, &["POST"]),
    (BACKFILL_RETRY, &["POST"]),
    (CALENDARS, &["GET"]),
    (CALENDAR, &["GET", "PUT", "DELETE"]),
    (EXPORT, &["GET"]),
    (APPLY, &["POST"]),
    (PREVIEW, &["POST"]),
    (NEXT, &["GET"]),
    (DASHBOARD, &["GET"]),
    (EVENTS, &["GET"]),
    (NODES, &["GET"]),
    (CLUSTER, &["GET"]),
    (LATENESS, &["GET"]),
    (SHARDS, &["GET"]),
    (SHARD_MOVES, &["GET"]),
    (STREAM, &["GET"]),
    (OPERATIONS, &["GET", "POST"]),
    (OPERATION, &["GET"]),
    (OPERATION_CANCEL, &["POST"]),
    (VIEWS, &["GET"]),
    (VIEW, &["GET", "PUT", "DELETE"]),
    (NODE_DRAIN, &["POST"]),
    (NODE_UNDRAIN, &["POST"]),
    (JOB_MATCH, &["GET"]),
    (QUEUES, &["GET"]),
    (QUEUE, &["GET", "PUT"]),
    (QUEUE_HISTORY, &["GET"]),
    (QUEUE_WAITING, &["GET"]),
    (QUEUE_PAUSE, &["POST"]),
    (QUEUE_RESUME, &["POST"]),
    (QUEUE_MOVE, &["POST"]),
    (RUN_MOVE, &["POST"]),
    (RUN_PLACE, &["POST"]),
    (RUN_DROP, &["POST"]),
    (QUEUE_PREVIEW, &["POST"]),
    (QUEUE_CHANGES, &["GET"]),
    (LABELS, &["GET"]),
    (LABEL, &["PUT", "DELETE"]),
    (WORKERS, &["GET", "POST"]),
    (WORKER, &["GET", "DELETE"]),
    (WORKER_DRAIN, &["POST"]),
    (WORKER_UNDRAIN, &["POST"]),
    (WORKER_POLL, &["POST"]),
    (WORKER_REPORT, &["POST"]),
    (WORKER_TOKENS, &["GET", "POST"]),
    (WORKER_TOKEN, &["DELETE"]),
    (WEBHOOKS, &["GET", "POST"]),
    (WEBHOOK, &["GET", "DELETE"]),
    (WEBHOOK_SECRET, &["POST"]),
    (WEBHOOK_RESUME, &["POST"]),
    (WEBHOOK_TEST, &["POST"]),
    (WEBHOOK_DELIVERIES, &["GET"]),
    (ALERTS, &["GET"]),
    (ALERT_CHANNELS, &["GET"]),
    (ALERT_CHANNEL, &["GET", "PUT", "DELETE"]),
    (ALERT_CHANNEL_TEST, &["POST"]),
    (ALERT_RULES, &["GET"]),
    (ALERT_RULE, &["GET", "PUT", "DELETE"]),
    (ALERT_SILENCES, &["GET", "POST"]),
    (ALERT_SILENCE, &["DELETE"]),
    (ALERT_DELIVERIES, &["GET"]),
    (ALERT_REDELIVERY, &["POST"]),
    (XXL_APPS, &["GET", "POST"]),
    (XXL_APP, &["GET", "POST", "DELETE"]),
    (XXL_APP_TOKEN, &["POST"]),
    (XXL_INSTANCES, &["GET"]),
    (XXL_GLUE, &["GET", "POST"]),
    (XXL_GLUE_HISTORY, &["POST"]),
    (XXL_GLUE_VERSION, &["GET"]),
    (XXL_GLUE_ROLLBACK, &["POST"]),
    (FLOWS, &["GET"]),
    (FLOW, &["GET", "PUT", "DELETE"]),
    (FLOW_COMPONENTS, &["POST"]),
    (FLOW_WHY, &["GET"]),
    (FLOW_LOG, &["GET"]),
    (FLOW_HISTORY, &["GET"]),
    (FLOW_QUEUE, &["GET", "DELETE"]),
    (FLOW_INPUT, &["POST"]),
    (FLOW_POOLS, &["GET"]),
    (FLOW_POOL, &["PUT"]),
    (FLOW_REPLAY, &["POST"]),
    (FLOW_ITEM, &["GET"]),
    (FLOW_PAYLOAD, &["GET"]),
    (FLOW_FILE, &["GET"]),
    (FLOW_CHECK, &["POST"]),
];

/// Paths that answer without a token, by method.
pub const PUBLIC: &[(&str, &str)] = &[("GET", LIVEZ), ("GET", READYZ), ("POST", SESSION)];

/// Whether a path answers a method without a token.
#[must_use]
pub fn is_public(method: &str, path: &str) -> bool {
    PUBLIC.contains(&(method, path))
}

/// Fills the `{…}` places of a path, in order, percent-encoding each value as one segment.
///
/// # Panics
/// When the number of values differs from the number of places: a bug of the caller.
///
/// ```
/// use mainspring_api::routes;
/// assert_eq!(routes::path(routes::JOB, &["prod", "a b/c"]), "/api/v1/namespaces/prod/jobs/a%20b%2Fc");
/// ```
pub fn path(template: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let segments = template.split('/').map(|segment| {
        if segment.starts_with('{') {
            let value = values.next().expect("a value for every place of the path");
            encode_segment(value)
        } else {
            segment.to_owned()
        }
    });
    let path = segments.collect::<Vec<_>>().join("/");
    assert!(values.next().is_none(), "more values than places in {template}");
    path
}

fn encode_segment(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => encoded.push(byte as char),
            b'.' if value.len() > 2 => encoded.push('.'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_and_encoded() {
        let cases: &[(&str, &[&str], &str)] = &[
            (NODES, &[], "/api/v1/nodes"),
            (RUN_LOG, &["0198"], "/api/v1/runs/0198/log"),
            (TRIGGER_PAUSE, &["ns", "a.b", "c"], "/api/v1/namespaces/ns/triggers/a.b/c/pause"),
            (RUN, &[".."], "/api/v1/runs/%2E%2E"),
            (RUN, &["ü?#"], "/api/v1/runs/%C3%BC%3F%23"),
        ];
        for (template, values, expected) in cases {
            assert_eq!(path(template, values), *expected);
        }
    }

    #[test]
    fn no_path_is_listed_twice() {
        let mut paths: Vec<_> = ALL.iter().map(|(path, _)| path).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), ALL.len());
    }
}
