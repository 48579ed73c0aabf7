//! Store errors, named by what the caller can do next.

/// What a [`crate::Store`] answers.
pub type Result<T> = std::result::Result<T, Error>;

/// An error with what caused it, in one line.
///
/// ```
/// let source = "the disk is full".into();
/// let error = mainspring_store::Error::Unavailable { operation: "save a job", source };
/// assert_eq!(mainspring_store::causes(&error), "the store could not save a job: the disk is full");
/// ```
#[must_use]
pub fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// A request that the store did not carry out. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing. Check the name.
    #[error("there is no {what} `{key}`")]
    NotFound {
        /// The kind of thing, in lower case.
        what: &'static str,
        /// The key asked for.
        key: String,
    },
    /// It changed meanwhile, or is in a state that does not allow the request. Read it again and decide anew.
    #[error("{what} `{key}` {why}")]
    Conflict {
        /// The kind of thing, in lower case.
        what: &'static str,
        /// The key asked for.
        key: String,
        /// What stands against the request: "is at version 4, not 3".
        why: String,
    },
    /// The store's data cannot be used by this program: corrupt, newer, foreign or locked by another process.
    #[error("cannot use the store {store}: {why}")]
    Unusable {
        /// Which store.
        store: String,
        /// What is wrong and what to do.
        why: String,
    },
    /// The store could not answer: disk full, input/output error. Retry with backoff.
    #[error("the store could not {operation}")]
    Unavailable {
        /// What was attempted.
        operation: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The database refuses something that it was given, and would again: a value that it cannot keep, a broken constraint. Divide
    /// the request, or change it. Nothing of it was kept, and nothing of an earlier try of the same batch.
    #[error("the store refused to {operation}")]
    Rejected {
        /// What was attempted.
        operation: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It took longer than the store allows, and was given up by the store. As for [`Error::Rejected`], nothing was kept: ask for
    /// less at a time.
    #[error("the store had no time to {operation}")]
    TooMuch {
        /// What was attempted.
        operation: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It was asked under the claim of an idempotency key that is another request's by now, answered or given up. Nothing was done.
    #[error("the idempotency key `{key}` is held by another request by now; nothing was done")]
    Superseded {
        /// The key.
        key: String,
    },
    /// This process start has been buried by other nodes: nothing of it is recorded any more. Come back as a new one.
    #[error("this process start was taken for dead by the other nodes; nothing was recorded")]
    Fenced,
    /// The store has been closed. Nothing more can be asked of it.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// A value that this program cannot read, written by a newer one or damaged.
    pub(crate) fn unreadable(store: &str, operation: &str, what: &str) -> Self {
        let why = format!(
            "it holds something that this program cannot read ({what}), found while trying to {operation}: it was \
             written by a newer version, or is damaged"
        );
        Self::Unusable { store: store.to_owned(), why }
    }
}
