//! How a store in a file is opened.

/// How a store in a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Threads that read for requests; at least 1. The engine has one of its own.
    pub readers: usize,
    /// Opens a database although its write-ahead log is damaged, or changes are missing that were acknowledged: they are lost. A damaged log
    /// is kept beside it, as `<path>-wal.damaged`.
    pub accept_data_loss: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 2, accept_data_loss: false }
    }
}
