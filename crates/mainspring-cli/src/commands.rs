//! One file per noun; each takes its arguments and an [`Output`](crate::output::Output).

pub mod completion;
pub mod version;
