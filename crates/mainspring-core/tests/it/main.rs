//! States and workflows, from the outside.

mod states;
mod workflows;
