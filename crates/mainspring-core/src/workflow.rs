//! Workflows: jobs whose work is a graph of tasks.
//!
//! Pure, like the rest of this crate, and linear in tasks and edges: nothing here walks paths or recurses. Tasks are dense
//! numbers from 0 in the order of the definition; names, templates and runs are the shell's.
//!
//! | question | answer |
//! |---|---|
//! | what is written about a task? | [`Workflow`] |
//! | do these edges make a graph, and if not, where is the cycle? | [`Graph::new`], [`GraphError`] |
//! | may a task run, given how its upstreams ended? | [`Counts::decide`] |
//! | these tasks ended: what follows? | [`advance`](Progress::advance) |
//! | what is run again, and what does it wait for? | [`rerun`] |
//! | which dates does a run stand for? | [`dates`] |
//! | which dates does a backfill run? | [`backfill`] |
//! | what is the value of a condition? | [`expression`] |
//! | what does a task see, and what do its runs execute? | [`TaskContext`], [`Job::rendered`](crate::job::Job::rendered) |
//! | how do the runs of a matrix or map stand? | [`Items`] |
//! | what does a task wait for that does nothing? | [`Hold`] |
//! | what does a task need of other workflows, and for which dates? | [`Elsewhere`] |
//! | how do tasks count that others need as one? | [`Group`], [`Shape::counts`] |
//! | what does a task start, and what follows its end? | [`Call`], [`TaskDefinition::after_call`] |
//! | which jobs wait for each other for ever? | [`call_circle`], [`wait_circle`] |
//! | why is a task where it is? | [`Standing::why`] |
//! | how many waves, which path is the longest? | [`measure`] |

mod advance;
pub mod backfill;
mod call;
mod context;
mod cycles;
pub mod dates;
mod definition;
mod elsewhere;
pub mod expression;
mod graph;
mod group;
mod hold;
pub mod measure;
pub mod rerun;
mod rule;
mod select;
mod spread;
mod waits;
mod why;

pub use advance::{End, FailFast, Progress, Row, Shape, Step, Stop, TaskRule};
pub use call::{AfterCall, CALLS_DEEP_MAX, Call, call_circle, outputs_text};
pub use context::{Item, ItemValue, Need, References, RenderError, RunFacts, TaskContext, run_name};
pub use definition::{Spread, TaskDefinition, Workflow};
pub use elsewhere::{At, Elsewhere, Found, NeedAt, Needed, OnMissing, Settled, counted};
pub use graph::{Graph, GraphError};
pub use group::{Group, group_end};
pub use hold::{Approval, ClockTime, Hold};
pub use mainspring_model::{OnTimeout, TaskState, TriggerRule};
pub use rule::{Counts, Decision};
pub use select::{branch, downstream, upstream};
pub use spread::{ITEMS_MAX, Items, combination};
pub use waits::{WaitCircle, Waits, WaitsBy, wait_circle};
pub use why::{Cause, Standing, Why};

/// The place of a task in a list that has one entry per task.
const fn at(task: u32) -> usize {
    task as usize
}
