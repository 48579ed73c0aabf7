//! What can go wrong when a program asks something of its scheduler.

/// A request that was not carried out, or a scheduler that could not start. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A job, trigger or run cannot be used, or is not there.
    #[error(transparent)]
    Request(#[from] mainspring_engine::control::Error),
    /// The store cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// The engine could not start.
    #[error(transparent)]
    Start(#[from] mainspring_engine::StartError),
}
