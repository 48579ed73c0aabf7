//! HTTP calls: which addresses they may reach, and how they are made.

pub(crate) mod policy;
