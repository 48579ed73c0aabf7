//! Whether the store takes what the engine writes: what the last batch or read of each kind came to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mainspring_store::Error;
use tokio::sync::broadcast;

use crate::notice::Notice;

/// What goes to the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Traffic {
    /// Fires and verdicts.
    Batch,
    /// Everything else that the loop asks for.
    Read,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Health {
    troubles: Mutex<[Option<String>; 2]>,
    notices: broadcast::Sender<Notice>,
}

impl Health {
    pub(crate) fn new(notices: broadcast::Sender<Notice>) -> Self {
        Self { troubles: Mutex::default(), notices }
    }

    /// Notes how one of a kind went. A success ends what an earlier failure has begun. What is refused for what it holds says
    /// nothing about the store.
    pub(crate) fn note<T>(&self, traffic: Traffic, outcome: &Result<T, Error>) {
        if matches!(outcome, Err(Error::Rejected { .. })) {
            return;
        }
        let trouble = outcome.as_ref().err().map(reason);
        let mut troubles = self.troubles();
        let known = &mut troubles[traffic as usize];
        if *known != trouble {
            trouble.iter().for_each(|why| _ = self.notices.send(Notice::Trouble(why.as_str().into())));
            *known = trouble;
        }
    }

    /// What stands in the way, if anything does.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.troubles().iter().flatten().next().cloned()
    }

    fn troubles(&self) -> MutexGuard<'_, [Option<String>; 2]> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For everyone to read: no places of this machine.
fn reason(error: &Error) -> String {
    match error {
        Error::Unavailable { .. } | Error::Rejected { .. } | Error::TooMuch { .. } => mainspring_store::causes(error),
        Error::Unusable { .. } => "the store cannot be used; the log says why".to_owned(),
        Error::NotFound { .. } | Error::Conflict { .. } | Error::Superseded { .. } | Error::Fenced | Error::Closed => {
            error.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_lasts_until_the_same_kind_succeeds() {
        let (notices, mut heard) = broadcast::channel(9);
        let health = Health::new(notices);
        assert_eq!(health.trouble(), None);
        let full = Error::Unavailable { operation: "record fires", source: "database or disk is full".into() };
        health.note::<()>(Traffic::Batch, &Err(full));
        health.note(Traffic::Read, &Ok(()));
        let why = "the store could not record fires: database or disk is full";
        assert_eq!(health.trouble().as_deref(), Some(why), "a full disk can be read");
        assert_eq!(heard.try_recv(), Ok(Notice::Trouble(why.into())));
        assert!(heard.try_recv().is_err(), "it is said once");
        health.note(Traffic::Batch, &Ok(()));
        assert_eq!(health.trouble(), None);
        let damaged = Error::Unusable { store: "/home/me/jobs.db".into(), why: "it is damaged".into() };
        health.note::<()>(Traffic::Read, &Err(damaged));
        assert!(health.trouble().is_some_and(|why| !why.contains("/home")));
    }
}
