//! Flows: components joined by queues of items, as users of Apache NiFi know them, without its polling.
//!
//! A [`Flow`] is the graph, checked once. A [`Machine`] is one flow at work: it is told what happens and when, and answers which
//! bodies start and what is to be written. A component runs when its trigger says so and [`gate`](gate::gate) lets it; where the
//! gate is closed the component waits for what opens it, and costs nothing meanwhile.
//!
//! Pure: it knows neither stores nor bodies. Of an item it knows the [`Header`], never the content.

pub mod body;
mod branch;
mod cycles;
mod definition;
mod edit;
pub mod gate;
mod history;
mod machine;
mod moves;
mod problem;
mod queue;
mod retry;

pub use body::{Body, Definition, Part};
pub use branch::inbox_ids;
pub use definition::{
    Component, Connection, Cron, FUNNEL_BATCH, Flow, InputRequirement, Misfire, OnBlocked, Placement, Prioritizer,
    Trigger,
};
pub use gate::{Blocked, Gate, Reason};
pub use history::{Held, MINUTE_MS, MINUTES_KEPT_MS, Minute, Recorder, kept_ms};
pub use machine::{
    Bulletin, Cause, ComponentState, Content, Counters, Disposal, Event, IdleCheck, Level, Machine, Now, Output,
    PoolId, Pools, Refused, Start, Ticket, TurnId, Verdict, Why, Write,
};
pub use moves::Moves;
pub use problem::{FlowProblem, Place};
pub use queue::{Header, ItemId, Priority, Queue};
pub use retry::{Retry, RetryMode};

#[cfg(test)]
mod tests;
