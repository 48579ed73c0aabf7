//! Logs as they are read: places in them, levels, what a terminal shows of a line, and what is found.
//!
//! Lines are numbered through all attempts of a run, from 1.

mod ansi;
mod find;
mod level;
mod place;
mod text;

pub(crate) use find::{Find, PATIENCE, find, first_error};
pub(crate) use place::{Log, Part};
pub(crate) use text::download;
