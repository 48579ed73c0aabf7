//! Who paused something, when and why. Notes for people: that something is paused is kept with it, and nothing depends on these.

use futures_util::{StreamExt, TryStreamExt, stream};
use mainspring_api::{self as api, ErrorCode, Problem, Reason};
use mainspring_core::{JobId, TriggerId};
use mainspring_store::{Document, DocumentExpect};
use serde::{Deserialize, Serialize};

use crate::access::Caller;
use crate::app::App;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

const KIND: &str = "pause";
/// For how long notes are kept: those of what was deleted while it was paused go with them.
const KEPT_MS: i64 = 400 * 86_400_000;
/// Notes that are read at a time.
const AT_ONCE: usize = 16;
/// Longest reason, in characters.
const REASON_CHARS_MAX: usize = 1_000;
/// Longest name of somebody who asks, in characters.
const BY_CHARS_MAX: usize = 128;

/// What is paused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Paused<'a> {
    Job(JobId),
    Trigger(TriggerId),
    Queue(&'a str),
}

impl Paused<'_> {
    /// Ids are of one thing, also when another one gets its name.
    fn name(self) -> String {
        match self {
            Self::Job(id) => format!("job {id}"),
            Self::Trigger(id) => format!("trigger {id}"),
            // Names of queues are as long as those of documents may be.
            Self::Queue(name) => name.to_owned(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Queue(_) => "queue_pause",
            _ => KIND,
        }
    }
}

/// A note as it is kept; when it was made is kept beside it.
#[derive(Serialize, Deserialize)]
struct Kept {
    by: String,
    reason: Option<String>,
}

/// Who paused something, when and why, as far as it is known.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Pause {
    pub(crate) at: Option<api::Timestamp>,
    pub(crate) by: Option<String>,
    pub(crate) reason: Option<String>,
}

/// Checks what a caller says of itself, and joins it with how it was let in.
///
/// # Errors
/// `field.value`: a text is too long.
pub(crate) fn by(caller: &Caller, asked: &Reason) -> Answer<String> {
    let long = |pointer: &str, text: &Option<String>, max: usize| {
        let is_long = text.as_ref().is_some_and(|text| text.chars().count() > max);
        is_long.then(|| Problem::new(ErrorCode::FieldValue, format!("more than {max} characters")).at(pointer))
    };
    let problems: Vec<_> = long("/reason", &asked.reason, REASON_CHARS_MAX)
        .into_iter()
        .chain(long("/by", &asked.by, BY_CHARS_MAX))
        .collect();
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let with = caller.told();
    Ok(asked.by.as_ref().map_or_else(|| with.to_owned(), |by| format!("{by}, with {with}")))
}

/// Notes who has paused something. Who pauses again what is paused, and says no reason, changes nothing.
pub(crate) async fn note(
    app: &App,
    what: Paused<'_>,
    by: String,
    reason: Option<String>,
    was_paused: bool,
) -> Answer<()> {
    let expect = if was_paused && reason.is_none() { DocumentExpect::Absent } else { DocumentExpect::Anything };
    let body = serde_json::to_string(&Kept { by, reason }).expect("plain data has a text");
    let (at, kind, name) = (app.now(), what.kind().to_owned(), what.name());
    let document = Document { kind, name, body, version: 0, at, expires_at: Some(at + KEPT_MS) };
    app.control().store().put_document(document, expect).await?;
    Ok(())
}

/// Forgets it when the pause ends.
pub(crate) async fn forget(app: &App, what: Paused<'_>) -> Answer<()> {
    app.control().store().remove_document(what.kind(), &what.name()).await?;
    Ok(())
}

/// Returns what is known of a pause: nothing, if it was made by a job file, or long ago.
pub(crate) async fn find(app: &App, what: Paused<'_>) -> Answer<Option<Pause>> {
    let found = app.control().store().document(what.kind(), &what.name(), app.now()).await?;
    Ok(found.and_then(|found| {
        let Kept { by, reason } = serde_json::from_str(&found.body).ok()?;
        Some(Pause { at: Some(instant(found.at)), by: Some(by), reason })
    }))
}

/// Reads the notes of many, in their order.
pub(crate) async fn find_all(
    app: &App,
    all: impl IntoIterator<Item = Option<Paused<'_>>>,
) -> Answer<Vec<Option<Pause>>> {
    let each = async |what: Option<Paused<'_>>| match what {
        Some(what) => find(app, what).await,
        None => Ok(None),
    };
    stream::iter(all).map(each).buffered(AT_ONCE).try_collect().await
}

impl Pause {
    /// The end of a sentence about it: when, by whom and why.
    pub(crate) fn told(&self) -> String {
        let at = self.at.map_or_else(String::new, |at| format!(", since {at}"));
        let by = self.by.as_ref().map_or_else(String::new, |by| format!(", by {by}"));
        let reason = self.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{at}{by}{reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_named_as_it_says_and_with_what_it_was_let_in() {
        let says = |by: &str| Reason { by: Some(by.to_owned()), reason: None };
        assert_eq!(by(&Caller::Token, &Reason::default()).unwrap(), "the access token");
        assert_eq!(by(&Caller::Token, &says("ann@north")).unwrap(), "ann@north, with the access token");
        assert!(by(&Caller::Token, &says(&"x".repeat(129))).is_err());
    }

    #[test]
    fn a_pause_is_told_as_far_as_it_is_known() {
        assert_eq!(Pause::default().told(), "");
        let pause = Pause { at: None, by: Some("ann".into()), reason: Some("full disk".into()) };
        assert_eq!(pause.told(), ", by ann: full disk");
    }
}
