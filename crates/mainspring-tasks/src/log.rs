//! The log of one attempt: lines, their capture from byte streams, their way to the store.

pub(crate) mod capture;
pub(crate) mod channel;
pub(crate) mod codec;
pub(crate) mod line;
mod tail;
pub(crate) mod text;
