//! The record of what was sent to executors: which number stands for which attempt.
//!
//! It is written before anything is sent, and only once for an attempt. Whoever finds it written already does not send, whichever node
//! that is: an attempt is never sent twice. It is also how a callback finds its run, on every node and after any restart.

use std::sync::Arc;

use mainspring_core::{Incarnation, RunId};
use mainspring_schedule::Timestamp;
use mainspring_store::{Document, DocumentExpect, Error, Store};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::openings::Openings;

/// The kind of its documents.
const KIND: &str = "xxl_sent";
/// The kind of the documents that say that the late word of an executor is noted.
const LATE_KIND: &str = "xxl_late";
/// How long a late callback still finds its run.
const KEPT_MS: i64 = 31 * 24 * 3_600_000;
/// Numbers count from 2020, so that they stay below 2^53 until 2088: Node rounds greater ones.
const EPOCH_S: i64 = 1_577_836_800;
/// Bits of a number within a second.
const SPREAD_BITS: u32 = 22;
/// Numbers that are tried for one attempt. Each is taken already with a likelihood of one in a hundred at 40,000 attempts a second.
const TRIES: i64 = 1_000;

/// An attempt that was sent, or is about to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Sent {
    /// Its number for executors.
    #[serde(skip)]
    pub(crate) log_id: i64,
    #[serde(with = "text")]
    pub(crate) run: RunId,
    pub(crate) attempt: u32,
    /// The worker that holds it, which stands for the executor.
    #[serde(with = "hex")]
    pub(crate) worker: Incarnation,
    pub(crate) app: String,
    /// Where it was sent.
    pub(crate) address: String,
    /// The job's number for executors.
    pub(crate) job_id: i32,
    /// When it was sent, in milliseconds since 1970 UTC: executors find its log by this.
    pub(crate) date: i64,
    /// Drawn by whoever writes it down to send it: what is found with it was written by the same, who was not answered.
    #[serde(default)]
    pub(crate) mark: u64,
    /// Whether its executor is asked to end it because its time is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) timed_out: bool,
}

/// What was found when an attempt was to be written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opened {
    /// Nothing: it may be sent now, once.
    Fresh(Sent),
    /// It has been written down before, and perhaps sent: it must not be sent again.
    Known(Sent),
}

/// Draws a mark.
pub(crate) fn mark() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u64::from_be_bytes(bytes).max(1)
}

/// Writes an attempt down, unless it is written down already. One that was written under the same mark, by a call that was not answered,
/// is as good as new: nothing of it was sent.
///
/// # Errors
/// The store could not say. The call may be repeated.
pub(crate) async fn open(
    store: &Arc<dyn Store>,
    openings: &Openings,
    sent: &Sent,
    now: Timestamp,
) -> Result<Opened, Error> {
    let first = number(sent.run, sent.attempt);
    for log_id in first..first + TRIES {
        let sent = Sent { log_id, ..sent.clone() };
        if openings.add(store, document(&sent, now)).await? {
            return Ok(Opened::Fresh(sent));
        }
        match find(&**store, log_id, now).await? {
            Some(there) if (there.run, there.attempt) == (sent.run, sent.attempt) => {
                let is_own = there.mark == sent.mark && there.mark != 0;
                return Ok(if is_own { Opened::Fresh(there) } else { Opened::Known(there) });
            }
            _ => {}
        }
    }
    let (what, key) = ("attempt of an executor", format!("{}/{}", sent.run, sent.attempt));
    Err(Error::Conflict { what, key, why: "no number is free".to_owned() })
}

/// What is written down of an attempt, if anything is.
///
/// # Errors
/// The store could not say. The call may be repeated.
pub(crate) async fn written(store: &dyn Store, sent: &Sent, now: Timestamp) -> Result<Option<Sent>, Error> {
    of_attempt(store, sent.run, sent.attempt, now).await
}

/// What is written down of an attempt of a run, if anything is.
///
/// # Errors
/// The store could not say.
pub(crate) async fn of_attempt(
    store: &dyn Store,
    run: RunId,
    attempt: u32,
    now: Timestamp,
) -> Result<Option<Sent>, Error> {
    let first = number(run, attempt);
    for log_id in first..first + TRIES {
        match find(store, log_id, now).await? {
            Some(there) if (there.run, there.attempt) == (run, attempt) => return Ok(Some(there)),
            Some(_) => {}
            None => break,
        }
    }
    Ok(None)
}

/// Notes what has changed: an attempt goes to another executor, because nothing could be sent to the one before, or its time is over.
pub(crate) async fn turn(store: &dyn Store, sent: &Sent, now: Timestamp) -> Result<(), Error> {
    store.put_document(document(sent, now), DocumentExpect::Anything).await.map(drop)
}

/// The attempt of a number.
pub(crate) async fn find(store: &dyn Store, log_id: i64, now: Timestamp) -> Result<Option<Sent>, Error> {
    let found = store.document(KIND, &name(log_id), now).await?;
    Ok(found.and_then(|document| Some(Sent { log_id, ..serde_json::from_str(&document.body).ok()? })))
}

/// Notes that an executor has said the end of an attempt too late. False: that was noted before.
pub(crate) async fn note_late(store: &dyn Store, log_id: i64, now: Timestamp) -> Result<bool, Error> {
    let (kind, name) = (LATE_KIND.to_owned(), name(log_id));
    let late = Document { kind, name, body: "{}".to_owned(), version: 0, at: now, expires_at: Some(now + KEPT_MS) };
    Ok(store.put_document(late, DocumentExpect::Absent).await?.is_some())
}

/// Whether that is noted.
pub(crate) async fn is_late_noted(store: &dyn Store, log_id: i64, now: Timestamp) -> Result<bool, Error> {
    Ok(store.document(LATE_KIND, &name(log_id), now).await?.is_some())
}

/// Takes that back.
pub(crate) async fn forget_late(store: &dyn Store, log_id: i64) -> Result<(), Error> {
    store.remove_document(LATE_KIND, &name(log_id)).await.map(drop)
}

fn document(sent: &Sent, now: Timestamp) -> Document {
    let body = serde_json::to_string(sent).expect("plain data has a text");
    let (kind, name) = (KIND.to_owned(), name(sent.log_id));
    Document { kind, name, body, version: 0, at: now, expires_at: Some(now + KEPT_MS) }
}

fn name(log_id: i64) -> String {
    format!("{log_id:016}")
}

/// The number of an attempt if no other one has it: later runs have higher ones, to the second.
fn number(run: RunId, attempt: u32) -> i64 {
    let second = (run.time().as_millis().div_euclid(1_000) - EPOCH_S).clamp(1, (1 << (53 - SPREAD_BITS)) - 1);
    let hash = Sha256::new().chain_update(run.as_bytes()).chain_update(attempt.to_be_bytes()).finalize();
    let spread = u32::from_be_bytes([0, hash[0], hash[1], hash[2]]) >> (24 - SPREAD_BITS);
    (second << SPREAD_BITS) | i64::from(spread)
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::RunId;

    pub(super) fn serialize<S: Serializer>(run: &RunId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(run)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RunId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

pub(super) mod hex {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Incarnation;

    pub(crate) fn serialize<S: Serializer>(id: &Incarnation, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Incarnation, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16).map(Incarnation).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::{JobId, RunSource};
    use mainspring_store::MemoryStore;

    use super::*;

    fn sent(ms: i64, attempt: u32) -> Sent {
        Sent {
            log_id: 0,
            run: RunId::new(Timestamp::from_millis(ms), RunSource::Asked(JobId(7), 1)),
            attempt,
            worker: Incarnation(5),
            app: "mail".to_owned(),
            address: "http://h:1".to_owned(),
            job_id: 7,
            date: ms,
            mark: 0,
            timed_out: false,
        }
    }

    fn store() -> Arc<dyn Store> {
        Arc::new(MemoryStore::new())
    }

    #[tokio::test]
    async fn an_attempt_is_written_down_once_and_found_by_its_number() {
        let (store, openings, now) = (store(), Openings::default(), Timestamp::from_millis(1_795_611_057_285));
        let one = sent(now.as_millis(), 1);
        let Opened::Fresh(first) = open(&store, &openings, &one, now).await.unwrap() else {
            panic!("nobody has sent it")
        };
        assert!(first.log_id > 0 && first.log_id < 1 << 53, "{}", first.log_id);
        assert_eq!(open(&store, &openings, &one, now).await.unwrap(), Opened::Known(first.clone()));
        assert_eq!(find(&*store, first.log_id, now).await.unwrap(), Some(first.clone()));
        assert_eq!(find(&*store, first.log_id + 1, now).await.unwrap(), None);
        let Opened::Fresh(second) = open(&store, &openings, &sent(now.as_millis(), 2), now).await.unwrap() else {
            panic!()
        };
        assert_ne!(second.log_id, first.log_id, "a further attempt has a number of its own");
        assert!(number(sent(now.as_millis() + 1_000, 1).run, 1) > number(one.run, 1), "numbers grow with time");
        let late = now + KEPT_MS;
        assert_eq!(find(&*store, first.log_id, late).await.unwrap(), None, "nobody calls back so late");
    }

    #[tokio::test]
    async fn an_attempt_whose_writing_was_not_answered_is_sent_by_the_same_and_by_nobody_else() {
        let (store, openings, now) = (store(), Openings::default(), Timestamp::from_millis(1_795_611_057_285));
        let one = Sent { mark: mark(), ..sent(now.as_millis(), 1) };
        let Opened::Fresh(first) = open(&store, &openings, &one, now).await.unwrap() else {
            panic!("nobody has sent it")
        };
        assert_eq!(open(&store, &openings, &one, now).await.unwrap(), Opened::Fresh(first.clone()));
        let other = Sent { mark: mark(), ..one };
        assert_eq!(open(&store, &openings, &other, now).await.unwrap(), Opened::Known(first));
    }

    #[tokio::test]
    async fn a_late_word_is_noted_once_unless_that_is_taken_back() {
        let (store, now) = (store(), Timestamp::from_millis(1_795_611_057_285));
        assert!(note_late(&*store, 7, now).await.unwrap());
        assert!(!note_late(&*store, 7, now).await.unwrap());
        assert!(note_late(&*store, 8, now).await.unwrap());
        forget_late(&*store, 7).await.unwrap();
        assert!(note_late(&*store, 7, now).await.unwrap());
    }

    #[tokio::test]
    async fn a_number_that_another_attempt_has_is_passed_over() {
        let (store, openings, now) = (store(), Openings::default(), Timestamp::from_millis(1_795_611_057_285));
        let one = sent(now.as_millis(), 1);
        let taken = Sent { log_id: number(one.run, 1), run: sent(5, 1).run, ..one.clone() };
        store.put_document(document(&taken, now), DocumentExpect::Absent).await.unwrap();
        let Opened::Fresh(there) = open(&store, &openings, &one, now).await.unwrap() else {
            panic!("nobody has sent it")
        };
        assert_eq!(there.log_id, taken.log_id + 1);
        assert_eq!(open(&store, &openings, &one, now).await.unwrap(), Opened::Known(there.clone()));
        assert_eq!(written(&*store, &one, now).await.unwrap(), Some(there));
        assert_eq!(written(&*store, &sent(now.as_millis(), 2), now).await.unwrap(), None);
    }
}
