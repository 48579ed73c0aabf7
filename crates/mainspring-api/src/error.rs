//! The catalogue of errors that users meet, and how they cross the wire.
//!
//! Codes are stable: they are never renamed and never reused. The table of the reference manual,
//! `docs/reference/errors.md`, is made from here.

use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Problem;

/// Declares the catalogue: variant, code, HTTP status, title, and what to do.
macro_rules! catalogue {
    ($($variant:ident $code:literal $status:literal $title:literal $advice:literal;)+) => {
        /// Everything that can be wrong, with its stable code, HTTP status and advice.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`, ", stringify!($status), ": ", $title, ". ", $advice)] $variant,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the stable dotted code.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// Returns the HTTP status that goes with it.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }

            /// Returns what went wrong, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// Returns what to do about it, in a paragraph.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),+ }
            }
        }
    };
}

catalogue! {
    DocumentEncoding "document.encoding" 400 "the text is not UTF-8"
        "Save the file as UTF-8. The position names the first byte that is not.";
    DocumentEmpty "document.empty" 200 "a warning: a job file holds nothing"
        "Write a job into it, or leave the file out.";
    DocumentForeign "document.foreign" 200 "a warning: a file in a folder is no job file"
        "The file has no key of a job file, so it was skipped. Name it in .mainspringignore to hear nothing of it. With --strict such a file is an error.";
    DocumentSyntax "document.syntax" 400 "the text is not valid YAML, TOML or JSON"
        "Correct the text at the position given. The format follows the file's ending; standard input is read as YAML, which includes JSON.";
    DocumentTooLarge "document.too_large" 413 "the document is too large"
        "A job file holds at most 1 MiB. Split it: a directory of files is applied as one.";
    DocumentTooDeep "document.too_deep" 400 "the document is nested too deeply"
        "Values may be nested 32 deep. Deeper data belongs into a file that the job reads.";
    DocumentTooManyNodes "document.too_many_nodes" 400 "the document has too many values"
        "Values are counted after YAML aliases are expanded. Split the file, or use fewer aliases.";
    DocumentDuplicateKey "document.duplicate_key" 400 "a key is written twice"
        "Remove one of the two. A later value never silently replaces an earlier one.";
    DocumentKeyTooLong "document.key_too_long" 400 "a key is too long"
        "A key has at most 1,024 bytes. Long texts belong into values.";
    DocumentNul "document.nul" 400 "a text contains the NUL character"
        "NUL cannot be passed to processes nor kept by every database. Remove it.";
    DocumentUnsupported "document.unsupported" 400 "the document uses something that JSON cannot express"
        "YAML tags, keys that are not text, and the numbers infinity and not-a-number have no JSON spelling. Write the value as text.";

    FieldUnknown "field.unknown" 422 "an unknown key"
        "Correct the spelling; the hint names the nearest known key. The schema is in docs/reference/job.schema.json.";
    FieldMissing "field.missing" 422 "a required key is missing"
        "Add the key that the message names.";
    FieldType "field.type" 422 "a value is of the wrong type"
        "The message says what was expected. In YAML, quote text that looks like a number, a boolean or null.";
    FieldValue "field.value" 422 "a value is not allowed"
        "The message says which values are.";
    FieldTooMany "field.too_many" 422 "a list or mapping has too many items"
        "The message says how many are allowed, and so does the schema. Make several jobs or files of one.";
    FieldLater "field.later" 422 "this version cannot do that yet"
        "The key is known, but what it asks for is not in this version. Remove it, or upgrade mainspring.";
    NameInvalid "name.invalid" 422 "a name is not allowed"
        "Names have 1 to 128 letters, digits, '.', '_' or '-', and begin with a letter or digit.";
    NameDuplicate "name.duplicate" 422 "a name is used twice"
        "Jobs and calendars are unique in their namespace, triggers in their job. Rename one.";
    JobNoTask "job.no_task" 422 "the job says nothing to do"
        "Add one of run, exec, script, http, handler, xxl or noop.";
    JobTwoTasks "job.two_tasks" 422 "the job says more than one thing to do"
        "Keep one of run, exec, script, http, handler, xxl and noop. Make several jobs of several tasks.";
    JobTwoSchedules "job.two_schedules" 422 "the job has both schedule and triggers"
        "Move the entries of schedule into triggers, and give each a name.";
    TriggerNoKind "trigger.no_kind" 422 "the trigger does not say when"
        "Add one of cron, every, at, calendar_interval, daily_window, delay or after.";
    TriggerTwoKinds "trigger.two_kinds" 422 "the trigger says more than one when"
        "Keep one of cron, every, at, calendar_interval, daily_window, delay and after. A job can have several triggers.";
    WorkflowUnknownTask "workflow.unknown_task" 422 "a task or group needs one that does not exist, or lies in one"
        "Correct the name: the hint names the nearest task or group of the same workflow.";
    WorkflowCycle "workflow.cycle" 422 "tasks wait for each other"
        "The message names the shortest cycle, and with each of its edges the line where it is written. Remove one of them.";
    WorkflowCallCircle "workflow.call_circle" 422 "workflows start each other in a circle"
        "The message names the whole circle: a task of each workflow starts the next, and one of the last starts the first. Remove one of these tasks.";
    WorkflowCallUnknown "workflow.call_unknown" 200 "a warning: a task starts a job that does not exist"
        "Nothing is refused: the task fails unless there is a job of that name when it starts. Correct the name, or apply that job, too.";
    WorkflowNeedCircle "workflow.need_circle" 422 "workflows wait for each other at the same date"
        "The message names the whole circle, with what makes each workflow wait for the next. Remove one of these needs, or let it ask for an earlier date: at: previous.";
    WorkflowNeedUnknown "workflow.need_unknown" 200 "a warning: a task needs something of a workflow that is not there"
        "Nothing is refused: what needs it waits for a run of that name, or fails if that has no such task. Correct the name, or apply that job, too.";
    WorkflowTooLarge "workflow.too_large" 422 "a workflow has too many tasks or edges"
        "A workflow has at most 100,000 tasks and 1,000,000 edges. Make several workflows of it, or a matrix of equal tasks.";
    WorkflowExpression "workflow.expression" 422 "an expression cannot be evaluated"
        "The message says what is wrong. Expressions see run, params, matrix, map, and under needs the tasks that the task needs: their state and declared outputs.";
    WorkflowRootRule "workflow.root_rule" 200 "a warning: a trigger rule has no effect"
        "A task that needs no other one runs under any rule. Add what it needs, or remove the rule.";
    WorkflowRedundantEdge "workflow.redundant_edge" 200 "a warning: a task needs another one twice over"
        "Nothing is refused. The task that the message names needs the other one already, so waiting for it is enough unless the rule counts both.";
    WorkflowShellText "workflow.shell_text" 200 "a warning: a value becomes part of a shell line"
        "Nothing is refused. The shell reads what the value says as commands. Put it into env, and write \"$NAME\" in the line.";
    FlowBody "flow.body" 422 "a component does not say what it does, or twice"
        "Write exactly one of run, exec, script, http, run_job, handler, generate, log, route, split, merge, wait, funnel, http_in, file_in and file_out. docs/guide/flows.md shows each.";
    FlowTrigger "flow.trigger" 422 "a component cannot run by this trigger"
        "Keep one of schedule, cron and event. Events are for components that get items from others, and not for serial ones or those that run when their queues are empty.";
    FlowConcurrency "flow.concurrency" 422 "a component cannot run so many bodies at once"
        "Write at least 1; 0 is for event-driven components, and a serial one runs one body at a time.";
    FlowInput "flow.input" 422 "a component lacks an input, or must not have one"
        "Components that work on items need a connection that leads to them; those that make items, or run on the leader, must not have one.";
    FlowPlacement "flow.placement" 422 "a component cannot run on every node"
        "Components run on every node where they make items and get none: `generate`, `file_in`, `run` and the like without a connection that leads to them, not `http_in`, and not serial ones. Leave `placement` out for others.";
    FlowRelationship "flow.relationship" 422 "a relationship is not known, or neither connected nor ended"
        "The message names it. Connect each relationship of a component, or list it in `end` where its items end.";
    FlowUnknownComponent "flow.unknown_component" 422 "a connection names a component that does not exist"
        "Correct the name: the hint names the nearest component of the same flow.";
    FlowCycle "flow.cycle" 200 "a warning: components pass items in a circle"
        "Nothing is refused. When all queues of a circle are full, one component takes a turn all the same, so that it goes on; a limit on what enters the circle is better.";
    FlowNotFound "flow.not_found" 404 "there is no such flow"
        "Correct the name or the namespace. `mainspring flow list` shows what there is.";
    FlowComponentNotFound "flow.component_not_found" 404 "the flow has no such component"
        "Correct the name. `mainspring flow get FLOW` shows what there is.";
    FlowConnectionNotFound "flow.connection_not_found" 404 "the flow has no such connection"
        "Connections are named FROM:TO, or FROM:TO:RELATIONSHIP where there are several. `mainspring flow get FLOW` shows what there is.";
    FlowItemNotFound "flow.item_not_found" 404 "there is no such item in the flow, or not any more"
        "Items move while the flow runs. `mainspring flow queue list FLOW CONNECTION` shows what waits.";
    FlowState "flow.state" 409 "the component is in a state that does not allow this"
        "The message says which. `mainspring flow why FLOW COMPONENT` shows more.";
    FlowInvalid "flow.invalid" 409 "a component lacks what it needs beside items, so it cannot run now"
        "The message says what is missing: a job, a folder, a function. As a warning, nothing is refused: a component that is started without it is `waiting_valid`, and starts as soon as it is there.";
    FlowPool "flow.pool" 422 "a component takes permits of a pool that does not exist"
        "Correct the name, or make the pool first: `mainspring flow pool set NAME SIZE`.";
    FlowFull "flow.full" 503 "a queue of the flow is full, so it takes no items now"
        "Try again later. `mainspring flow get FLOW` shows which queue it is; what takes its items may be stopped or slow.";
    FlowReplay "flow.replay" 422 "it is not clear to which queue items are to return"
        "Name it with `to`: the message lists the queues in front of the component that put the items there.";
    FlowElsewhere "flow.elsewhere" 409 "another node runs the flow"
        "Try again in some seconds: the flow is changing nodes. Each node passes requests on to the one that runs the flow.";
    FlowUnreachable "flow.unreachable" 503 "the node that runs the flow does not answer"
        "If the node has just stopped, another one runs the flow within seconds: try again. Else nodes do not reach each other: `mainspring cluster nodes` shows the addresses, and `--advertise URL` of the node sets its own.";
    CalendarNoKind "calendar.no_kind" 422 "the calendar removes nothing"
        "Add one of annual, cron, daily, holiday, monthly or weekly.";
    CalendarTwoKinds "calendar.two_kinds" 422 "the calendar is of more than one kind"
        "Keep one kind, and name the other as base: what the base removes is removed too.";
    CalendarUnknown "calendar.unknown" 422 "a trigger or calendar names a calendar that does not exist"
        "Correct the name, or apply the calendar in the same bundle.";
    CalendarCycle "calendar.cycle" 422 "calendars are each other's base"
        "Remove one of the base keys that the message lists.";

    ScheduleCron "schedule.cron" 422 "a cron expression cannot be read"
        "Five fields are Unix cron, six or seven are Quartz. `mainspring cron explain` shows how an expression is read.";
    ScheduleNever "schedule.never" 422 "the schedule never fires"
        "No instant satisfies it within its bounds and calendar, such as 31 February. The message says which part excludes the rest.";
    ScheduleDuration "schedule.duration" 422 "a duration cannot be read"
        "Write a number and a unit, such as 90s, 15m, 2h, 1d or 10 sec.";
    ScheduleZone "schedule.zone" 422 "a time zone is unknown"
        "Use an IANA name such as Europe/Berlin, or UTC. Abbreviations such as CST mean different zones in different places.";
    ScheduleInstant "schedule.instant" 422 "an instant or time of day cannot be read"
        "Write RFC 3339, such as 2026-01-30T12:00:00Z, or a local time such as 2026-01-30 12:00. A local time that a clock change skips is refused.";
    ScheduleMisfire "schedule.misfire" 422 "the misfire policy does not fit the kind of trigger"
        "every and at know fire_now and the policies with a count; the other kinds fire_once_now and do_nothing; smart and ignore fit all.";

    ScheduleCircle "schedule.circle" 422 "jobs start each other in a circle"
        "The message names the whole circle: each job starts after the one before, and the first after the last. Remove one of these `after` triggers.";
    ScheduleUpstream "schedule.upstream" 200 "a warning: a job starts after one that does not exist"
        "Nothing is refused: the trigger fires once there is a job of that name and a run of it ends. Correct the name, or apply that job, too.";
    SchedulePast "schedule.past" 200 "a warning: an instant is past"
        "Nothing is refused. A trigger whose only instant is past when it is saved does not fire: what is past then is not made up for.";
    ScheduleTwice "schedule.twice" 200 "a warning: clocks show a local time twice"
        "Nothing is refused: the first of the two instants is taken. Write the instant with its offset, such as 2026-10-25T02:30:00+01:00, to say which one is meant.";
    ScheduleEnd "schedule.end" 200 "a warning: a schedule does not fire at its end"
        "Nothing is refused. Triggers of the kinds every and calendar_interval end before end_at, as in Quartz; cron and daily_window may fire at it.";
    ScheduleFrequent "schedule.frequent" 200 "a warning: a schedule fires more than once a second"
        "Nothing is refused. Each fire is a run that is recorded: write a longer interval, unless that many are meant.";
    ParamUnknown "param.unknown" 422 "the job has no such parameter"
        "Correct the name: the hint names the nearest. A job that declares params takes these, and members of its own input, and no other ones.";
    ParamType "param.type" 422 "a parameter is of the wrong type"
        "The message says which type the job declares.";
    ParamValue "param.value" 422 "a parameter has a value that is not allowed"
        "The message says which values the job allows.";
    ParamMissing "param.missing" 422 "a required parameter is missing"
        "Set it: -p NAME=VALUE, or in params of the request.";

    RequestInvalid "request.invalid" 422 "the request is not valid"
        "The list of errors says what is wrong with which field. Nothing was changed.";
    RequestQuery "request.query" 400 "a query parameter is not valid"
        "The message names the parameter and what it takes. Unknown parameters are refused.";
    SearchSyntax "search.syntax" 400 "a search cannot be read"
        "The message names the term at fault, and the position where it begins. The language is in docs/reference/query-language.md.";
    RequestHeader "request.header" 400 "a header is not valid"
        "The message names the header and what it takes.";
    RequestCursor "request.cursor" 400 "the page cursor is not valid"
        "Use next_cursor of the page before, with the same query. Begin again without a cursor.";
    RequestMediaType "request.media_type" 415 "the body is of a type that is not taken here"
        "Send application/json, or application/merge-patch+json with PATCH.";
    RequestTooLarge "request.too_large" 413 "the body is too large"
        "Send less at once: the message says how much is taken. A large apply can be split by job.";
    RequestHeadTooLarge "request.head_too_large" 431 "the head of the request is too long"
        "Target and headers together have at most 64 KiB. Send what is long in the body.";
    RequestTimeout "request.timeout" 408 "the request took too long to arrive"
        "Send it again over a better line.";
    RouteUnknown "route.unknown" 404 "there is nothing at this path"
        "The paths are in /api/v1/openapi.json.";
    RouteMethod "route.method" 405 "the path does not take this method"
        "The Allow header says which methods it takes.";
    LabelNotFound "label.not_found" 404 "nothing is set for the label"
        "`mainspring label list` shows the labels that are limited. A label is written NAME=VALUE, as in the job.";
    QueueFull "queue.full" 429 "as many runs wait in the queue as may"
        "Wait as long as the Retry-After header says, or until runs have left the queue: `mainspring queue show QUEUE`. `mainspring queue set QUEUE --max-waiting N` lets more wait, more workers or slots make it shorter.";
    RateLimited "request.rate_limited" 429 "too many requests"
        "Wait as long as the Retry-After header says.";

    AuthMissing "auth.missing" 401 "a token is missing"
        "Send Authorization: Bearer TOKEN. The server wrote the token into its data directory at first start; the command line takes --token-file or MAINSPRING_TOKEN_FILE.";
    AuthInvalid "auth.invalid" 401 "the token is not valid"
        "The token is of another server, or was replaced. Read it anew from the server's data directory.";
    AuthSessionInvalid "auth.session_invalid" 401 "the session of the browser is over"
        "Sign in again: with a link that `mainspring console` prints, or with the access token. A session ends 12 hours after the last request, when somebody signs out, and when the access token is replaced; one of another server on the same host opens nothing here.";
    AuthCode "auth.code" 401 "the login link opens nothing"
        "A link signs in once, within 10 minutes, on the node that made it. `mainspring console` makes another one.";
    AuthCrossSite "auth.cross_site" 403 "the request comes from a page of another site"
        "A session counts for pages of the console alone. Programs send Authorization: Bearer TOKEN. Behind a proxy that changes the Host header and speaks plain HTTP, start the server with --public-url.";
    AuthForbidden "auth.forbidden" 403 "the token does not allow this"
        "The message names the right that is missing. Use the server's access token.";

    NamespaceNotFound "namespace.not_found" 404 "the namespace does not exist"
        "Correct the name; a namespace is made by the first job applied to it.";
    NamespaceNotEmpty "namespace.not_empty" 409 "the namespace still has jobs or calendars"
        "Delete them first.";
    JobNotFound "job.not_found" 404 "the job does not exist"
        "Correct the name or the namespace. `mainspring job list` shows what there is.";
    VersionNotFound "version.not_found" 404 "the job has no such version, or not any more"
        "A version is kept for as long as a run of it is. The list of versions shows what there is.";
    JobDataInvalid "data.invalid" 422 "it cannot be the data of a job"
        "The data of a job is a JSON object of at most 64 KiB. Keep what is large elsewhere, and its place in the data.";
    JobDataNotKept "data.not_kept" 409 "the job keeps no data between its runs"
        "Set keep_data in the definition of the job first.";
    JobOverlapData "job.overlap_data" 200 "a warning: runs that overlap replace each other's data"
        "Nothing is refused. Of runs that overlap, the last one that succeeds has the word about what the job keeps. Add an overlap policy other than allow, with one run at a time.";
    JobNotWorkflow "job.not_workflow" 409 "the job is no workflow"
        "Only a job with tasks has a graph of them.";
    TriggerNotFound "trigger.not_found" 404 "the trigger does not exist"
        "Correct the name, which is unique within its job. `mainspring trigger list` shows what there is.";
    CalendarNotFound "calendar.not_found" 404 "the calendar does not exist"
        "Correct the name or the namespace.";
    CalendarInUse "calendar.in_use" 409 "triggers or calendars still name the calendar"
        "Change those that the message lists first.";
    RunNotFound "run.not_found" 404 "the run does not exist"
        "Correct the id. Final runs are deleted by retention.";
    RunFinal "run.final" 409 "the run is already final"
        "A final run cannot be changed. `mainspring run rerun` makes a new one.";
    RunNotQueued "run.not_queued" 409 "the run does not wait in a queue"
        "Only a run that waits can move to another queue. `mainspring run get RUN` shows its state; a run that is tried again later waits once its time has come.";
    RunNotWorkflow "run.not_workflow" 409 "the run is no workflow"
        "Tasks, and what can be asked of them, belong to runs of jobs with tasks. `mainspring run get` shows what the run is.";
    RunNotBegun "run.not_begun" 409 "the workflow run has not begun"
        "Its tasks are there once the node that owns the job has begun it. Ask again, or cancel the whole run.";
    RunIsTask "run.is_task" 409 "the run is that of a task"
        "It belongs to a workflow run. Rerun that one: its id is the parent of this run.";
    RunLive "run.live" 409 "the run is not over"
        "What would run again is running, has not begun, or is being cancelled. Wait for its end with `mainspring run wait RUN`, or let it be cancelled first: `mainspring run rerun RUN --cancel-running`. A run that goes on keeps its version.";
    RunRepeated "run.repeated" 409 "the run was run again already"
        "What depends on a run in other workflows goes by the newest run of its date. The message names that one: run it again.";
    RunPlanStale "run.plan_stale" 409 "the plan of the rerun no longer holds"
        "The list of errors says what is different. Make a new plan, look at it, and carry that out: `mainspring run rerun RUN --dry-run`.";
    RunNothingToRerun "run.nothing_to_rerun" 409 "no task would run again"
        "The message says why. Choose other tasks, or also those that they need: `mainspring run rerun RUN --task TASK --upstream`.";
    TaskNotFound "task.not_found" 404 "the run has no such task"
        "Correct the name: the hint names the nearest. `mainspring run tree RUN` shows the tasks.";
    TaskFinal "task.final" 409 "the task is already final"
        "What a task that is over has led to is done already. `mainspring run rerun` makes a new run.";
    TaskStarted "task.started" 409 "the task has started"
        "Only a task that has not started can be skipped. Cancel it, or mark it as succeeded or failed.";
    TaskNoApproval "task.no_approval" 409 "the task waits for no approval"
        "Only a task with approval, while it is running, can be approved or rejected. `mainspring run why RUN` shows what waits for one.";
    TaskApprover "task.approver" 403 "somebody else is to decide"
        "The hint says who may. The name is the one that the request gives: `mainspring run approve RUN TASK --as NAME`.";
    AttemptNotFound "attempt.not_found" 404 "the attempt does not exist"
        "Attempts are numbered from 1; the run shows how many there were.";
    OutputNotFound "output.not_found" 404 "the run has no output"
        "The run is not over, or has left nothing. `mainspring run get` shows its state, and why an output was refused.";
    LogNotFound "log.not_found" 404 "the log does not exist"
        "The run has not started, or retention has deleted its log.";

    BackfillTrigger "backfill.trigger" 422 "it is not clear which trigger is meant"
        "Name one of the triggers that the message lists: --trigger NAME.";
    BackfillNoSchedule "backfill.no_schedule" 422 "the job has no fire times of the past"
        "Backfills run fire times of a schedule. A job without triggers, or one that fires some time after its last run, has none: `mainspring run start` runs it.";
    BackfillRange "backfill.range" 422 "the range cannot be read, or is none"
        "Write dates such as 2026-07-01, local times such as 2026-07-01T06:00, or instants with their offset; from is not after to.";
    BackfillFuture "backfill.future" 422 "the range reaches beyond the present"
        "Only what has passed can be run again. Leave --to out for everything until now, or name a day that is over.";
    BackfillEmpty "backfill.empty" 422 "there is nothing to run"
        "The trigger does not fire in the range, or all of its fire times have a run: --reprocess failed or all runs these again. `mainspring backfill plan` shows what there is.";
    BackfillTooMany "backfill.too_many" 422 "the range has too many fire times"
        "A backfill has at most 100,000 fire times. Divide the range.";
    BackfillBound "backfill.bound" 422 "a number is out of its bounds"
        "The message says what is taken.";
    BackfillStale "backfill.stale" 409 "the plan is another one by now"
        "Runs, the job or its trigger have changed since the plan was shown. Look at the present plan, and start that.";
    BackfillNotFound "backfill.not_found" 404 "there is no such backfill, or not any more"
        "Correct the number. `mainspring backfill list` shows what there is.";
    BackfillState "backfill.state" 409 "the backfill is in a state that does not allow this"
        "`mainspring backfill get` shows where it stands. What was cancelled stays so: start another backfill.";

    NodeNotFound "node.not_found" 404 "the cluster has no such node"
        "Correct the name. `mainspring cluster nodes` shows who is there; a node that ended is not.";
    NodeAmbiguous "node.ambiguous" 409 "several nodes have that name"
        "Name the node by its incarnation, the ID of `mainspring cluster nodes --columns name,id`. A process that was killed stays listed for some seconds.";
    ClusterSingle "cluster.single" 409 "the store is not shared, so there is no other node"
        "Nothing can be handed over. Stop the server to end its work, or keep jobs in PostgreSQL to run several nodes.";

    WorkerNotFound "worker.not_found" 404 "there is no such worker, or not any more"
        "A worker that hears this under its own id was taken for dead: its runs are lost. It ends what it executes of them, and joins again.";
    WorkerStalePoll "worker.stale_poll" 409 "a newer poll of the worker has come before"
        "Nothing is to be done: the newer one was answered. A worker has one poll under way at a time, each with a higher number.";
    WorkerQueue "worker.queue" 403 "the token does not allow a queue"
        "Leave the queue out, or use a token that was made for it. `mainspring worker token list` shows which is for what.";
    WorkerOutput "worker.output" 422 "the output of a run is too large"
        "An output has at most 16 MiB. Report the end without it, with the error code output.too_large.";
    WorkerData "worker.data" 422 "what a run leaves cannot be the data of its job"
        "The data of a job is a JSON object of at most 64 KiB. Report the end without it, as failed, with the error code data.invalid or data.too_large.";
    WorkerTokenNotFound "worker.token_not_found" 404 "there is no such token of workers"
        "Correct the name. `mainspring worker token list` shows what there is.";
    WorkerTokenExpired "worker.token_expired" 401 "the token of the worker has expired"
        "Make another one: `mainspring worker token create`.";

    WebhookNotFound "webhook.not_found" 404 "there is no such webhook"
        "Correct the name. `mainspring webhook list` shows what there is.";
    WebhookLimit "webhook.limit" 409 "there are as many webhooks as there may be"
        "Delete one that is not needed, or let one receiver pass messages on: a webhook may name many types of events.";
    WebhookSecret "webhook.secret" 409 "the secret before the present one is still valid"
        "Only two are valid at a time. Wait until the time that the message names, or force it: receivers that know the oldest refuse messages then.";
    WebhookResting "webhook.resting" 409 "the webhook rests"
        "It has failed for days. Correct the receiver, then `mainspring webhook resume NAME`.";
    WebhookDisabled "webhook.disabled" 409 "the node that answers makes no HTTP calls"
        "Webhooks are delivered by nodes that execute HTTP tasks. Start the server with a data folder.";

    AlertChannelNotFound "alert.channel_not_found" 404 "there is no such channel of alerts"
        "Correct the name. `mainspring alert channel list` shows what there is.";
    AlertChannelUnknown "alert.channel_unknown" 422 "a rule names a channel that there is not"
        "Correct the name, or save the channel first: `mainspring alert channel apply -f FILE`.";
    AlertChannelUsed "alert.channel_used" 409 "rules still name the channel"
        "Change or delete the rules that the message names first.";
    AlertRuleNotFound "alert.rule_not_found" 404 "there is no such rule of alerts"
        "Correct the name. `mainspring alert rule list` shows what there is.";
    AlertSilenceNotFound "alert.silence_not_found" 404 "there is no such silence"
        "It may have ended. `mainspring alert silence list` shows which hold.";
    AlertDeliveryNotFound "alert.delivery_not_found" 404 "there is no such message to a channel"
        "Correct the id. Messages are kept for 30 days. One that is still sent cannot be sent again.";
    AlertLimit "alert.limit" 409 "there are as many channels, rules or silences as there may be"
        "Delete some that are not needed.";
    AlertNothingMatches "alert.nothing_matches" 200 "a warning: no job fits the rule"
        "Compare namespace, job and labels with those of the jobs. The rule holds for jobs that come later.";
    AlertSecret "alert.secret" 422 "a secret of a channel is not there"
        "Put the file into the folder `secrets` of the data folder, or set the variable, on every server. `***` keeps a text that is there; a new channel has none.";
    AlertSmtp "alert.smtp" 502 "the mail server did not take the message"
        "The message says what it answered. Correct server, port, security, user name, password, sender or receivers; `mainspring alert channel test NAME` tries again.";
    AlertAddress "alert.address" 502 "an address may not be reached or is not found"
        "Addresses that are not public need `--allow-outbound` on every server, as for HTTP tasks.";
    AlertRefused "alert.refused" 502 "the receiver of a channel refused the message"
        "The message says what it answered. Correct the address or the secret; chat robots also refuse messages without their keyword, and more than some 20 a minute.";
    AlertDisabled "alert.disabled" 409 "the node that answers sends no messages"
        "Alerts are sent by nodes that execute HTTP tasks. Start the server with a data folder.";

    XxlAppNotFound "xxl.app_not_found" 404 "there is no such app of XXL-JOB's executors"
        "Correct the name. `mainspring xxl app list` shows what there is; `mainspring xxl app create` makes one.";
    XxlAppLimit "xxl.app_limit" 409 "there are as many apps as there may be"
        "Delete one that is not needed.";
    XxlNoScript "xxl.no_script" 409 "the job has no script"
        "Only jobs with `xxl.glue` have versions of a script. `mainspring job get JOB -o yaml` shows what it does.";
    XxlToken "xxl.token" 409 "the token before the present one still opens"
        "Only two open at a time. Wait until the time that the message names, or replace at once: executors with the oldest token are refused then.";

    OperationNotFound "operation.not_found" 404 "there is no such operation"
        "Correct the id. Operations are kept for a week.";
    ViewNotFound "view.not_found" 404 "there is no such saved view"
        "Correct the name, or save the view first.";
    ViewLimit "view.limit" 409 "there are as many saved views as there may be"
        "Delete some that nobody needs.";

    ResourceExists "resource.exists" 409 "the resource exists already"
        "Leave out If-None-Match to replace it, or take another name.";
    ResourceStale "resource.stale" 412 "someone else changed the resource"
        "Get it anew, make the change again, and send it with the new version.";
    ResourceConflict "resource.conflict" 409 "the change conflicts with another at the same time"
        "Send it again.";
    IdempotencyReused "idempotency.reused" 422 "the idempotency key was used for another request"
        "Use a new key for each request, and the same key for its repetitions only.";
    IdempotencyPending "idempotency.pending" 409 "the first request with this idempotency key is still at work"
        "Wait a moment and send it again with the same key.";

    ServerDraining "server.draining" 503 "the server is shutting down"
        "Send it to another node, or again when the server is back.";
    ServerBusy "server.busy" 503 "the server has too much to do"
        "Wait as long as the Retry-After header says. Fires go before requests.";
    StoreUnavailable "store.unavailable" 503 "the database does not answer"
        "Whether the change was made is unknown: repeat it with the same idempotency key. `mainspring doctor` looks at the database.";
    StoreRejected "store.rejected" 422 "the database cannot keep a value of the request"
        "Change the request: the same one would be refused again. Nothing of it was kept.";
    StoreFull "store.full" 507 "the disk of the store is full"
        "Make room. Nothing that was acknowledged is lost.";
    ServerInternal "server.internal" 500 "a bug in mainspring"
        "Report it with the request id; the server's log has the cause under it.";
}

impl ErrorCode {
    /// Tells whether nothing is refused for it.
    pub fn is_warning(self) -> bool {
        self.status() == 200
    }

    /// Returns the code spelled `text`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An error answer: RFC 9457, `application/problem+json`.
///
/// ```
/// use mainspring_api::{ErrorCode, ProblemDetails};
/// let details = ProblemDetails::new(ErrorCode::JobNotFound, "no job \"nigthly\" in namespace \"prod\"");
/// assert_eq!(details.status, 404);
/// assert_eq!(details.kind, "urn:mainspring:error:job.not_found");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ProblemDetails {
    /// `urn:mainspring:error:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// What went wrong, in a few words; the same for every error of the code.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What went wrong this time.
    pub detail: String,
    /// Stable dotted code, one of [`ErrorCode`].
    pub code: String,
    /// Id of the request, as in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Each thing that is wrong with the body, up to 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Problem>,
    /// How many more things are wrong with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors_omitted: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ProblemDetails {
    /// Media type of such an answer.
    pub const MEDIA_TYPE: &'static str = "application/problem+json";
    /// Problems that are listed; of more there is the number.
    pub const ERRORS_MAX: usize = 100;

    /// Makes an error answer.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:mainspring:error:{code}"),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code: code.as_str().to_owned(),
            request_id: None,
            hint: None,
            errors: Vec::new(),
            errors_omitted: 0,
        }
    }

    /// Makes the answer to a body with problems: that of the problem when there is one, a list otherwise.
    pub fn invalid(mut problems: Vec<Problem>) -> Self {
        let count = problems.len();
        problems.truncate(Self::ERRORS_MAX);
        match problems.as_slice() {
            [only] => {
                let code = ErrorCode::parse(&only.code).unwrap_or(ErrorCode::RequestInvalid);
                let details = Self::new(code, only.message.clone());
                Self { hint: only.hint.clone(), errors: problems, ..details }
            }
            _ => {
                let details =
                    Self::new(ErrorCode::RequestInvalid, format!("{count} things are wrong with the request"));
                Self { errors_omitted: (count - problems.len()) as u64, errors: problems, ..details }
            }
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the code, unless it is newer than this client.
    pub fn error_code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(&self.code)
    }
}

/// Writes the error as the command line shows it.
impl fmt::Display for ProblemDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.errors.is_empty() {
            let texts: Vec<_> = self.errors.iter().map(Problem::to_string).collect();
            return f.write_str(&texts.join("\n"));
        }
        let problem = Problem {
            code: self.code.clone(),
            message: self.detail.clone(),
            pointer: String::new(),
            position: None,
            hint: self.hint.clone(),
        };
        problem.fmt(f)
    }
}

/// Returns the table of errors of the reference manual, as Markdown.
pub fn error_reference() -> String {
    let mut text = String::from(
        "# Errors\n\nMade from the catalogue in `crates/mainspring-api/src/error.rs`; do not edit.\n\n\
         | code | HTTP | what went wrong | what to do |\n|---|---|---|---|\n",
    );
    for code in ErrorCode::ALL {
        let (status, title, advice) = (code.status(), code.title(), code.advice());
        let status = if code.is_warning() { "–".to_owned() } else { status.to_string() };
        writeln!(text, "| `{code}` | {status} | {title} | {advice} |").expect("writing to a string cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_dotted_and_found_by_their_text() {
        let codes: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            let parts: Vec<_> = code.as_str().split('.').collect();
            assert!(parts.len() == 2 && parts.iter().all(|part| !part.is_empty()), "{code}");
            assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
            assert!((400..600).contains(&code.status()) || code.is_warning(), "{code}");
            assert!(!code.advice().contains('|') && code.advice().ends_with('.'), "{code}");
        }
    }

    #[test]
    fn a_single_problem_lends_its_code_to_the_answer() {
        let problem = Problem::new(ErrorCode::NameInvalid, "name \"a b\" is not allowed").at("/name");
        let one = ProblemDetails::invalid(vec![problem.clone()]);
        let two = ProblemDetails::invalid(vec![problem.clone(), problem]);
        assert_eq!((one.code.as_str(), one.status), ("name.invalid", 422));
        assert_eq!((two.code.as_str(), two.errors.len()), ("request.invalid", 2));
        let many = ProblemDetails::invalid(vec![Problem::new(ErrorCode::NameInvalid, "so"); 1_000]);
        assert_eq!((many.errors.len(), many.errors_omitted), (100, 900));
        assert_eq!(many.detail, "1000 things are wrong with the request");
    }
}
