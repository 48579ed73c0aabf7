//! What an admin asks of an executor, read as leniently as executors read it.

use serde_json::{Map, Value};

use crate::lenient;
use crate::passing::PassedId;
use crate::words::BlockStrategy;

/// A request of an admin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Is the executor there?
    Beat,
    /// Has it no run of this job?
    IdleBeat(i32),
    /// Execute a run.
    Run(Sent),
    /// End all runs of this job.
    Kill(i32),
    /// Show the log of a run from a line on.
    Log {
        /// Which run.
        log_id: i64,
        /// The first line wanted, from 1.
        from_line: i64,
    },
}

/// A run as an admin sends it: what is needed to have it executed elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Its number there.
    pub log_id: i64,
    /// When it was triggered there, in milliseconds since 1970 UTC.
    pub log_date_time: i64,
    /// The job's number there.
    pub job_id: i32,
    /// Its parameter; empty when there is none.
    pub params: String,
    /// What happens while the job runs.
    pub block: BlockStrategy,
    /// Which shard it is, from 0, and of how many.
    pub shard: (i64, i64),
    /// Whether the admin speaks 3.5.
    pub is_3_5: bool,
}

impl Asked {
    /// Reads a request. Fields may be missing, null, or numbers in quotes: Java leaves out what is null, and forgives the rest.
    ///
    /// ```
    /// use mainspring_xxl::Asked;
    /// assert_eq!(Asked::read("/kill", br#"{"jobId":7}"#), Ok(Asked::Kill(7)));
    /// assert!(Asked::read("/kill", b"{}").is_err());
    /// ```
    ///
    /// # Errors
    /// A path that executors do not have, or a body without the number of the job or the run: a text for people.
    pub fn read(path: &str, body: &[u8]) -> Result<Self, String> {
        match path {
            "/beat" => Ok(Self::Beat),
            "/idleBeat" => Ok(Self::IdleBeat(job_id(&object(body)?)?)),
            "/kill" => Ok(Self::Kill(job_id(&object(body)?)?)),
            "/run" | "/trigger" => Ok(Self::Run(Sent::of(&object(body)?, path == "/trigger")?)),
            "/log" => {
                let object = object(body)?;
                let from_line = integer(&object, "fromLineNum").unwrap_or(1).max(1);
                Ok(Self::Log { log_id: needed(&object, "logId")?, from_line })
            }
            other => Err(format!("invalid request, uri-mapping({other}) not found.")),
        }
    }
}

impl Sent {
    /// Returns which run it is.
    #[must_use]
    pub const fn id(&self) -> PassedId {
        PassedId { log_id: self.log_id, log_date_time: self.log_date_time }
    }

    fn of(object: &Map<String, Value>, is_3_5: bool) -> Result<Self, String> {
        let block = object.get("executorBlockStrategy").and_then(Value::as_str).and_then(BlockStrategy::from_word);
        Ok(Self {
            log_id: needed(object, "logId")?,
            log_date_time: integer(object, "logDateTime").or_else(|| integer(object, "logDateTim")).unwrap_or(0),
            job_id: job_id(object)?,
            params: object.get("executorParams").and_then(lenient::text).unwrap_or_default(),
            block: block.unwrap_or(BlockStrategy::Serial),
            shard: (
                integer(object, "broadcastIndex").unwrap_or(0),
                integer(object, "broadcastTotal").filter(|total| *total > 0).unwrap_or(1),
            ),
            is_3_5,
        })
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, String> {
    serde_json::from_slice(body).map_err(|error| format!("the body is no JSON object: {error}"))
}

fn integer(object: &Map<String, Value>, name: &str) -> Option<i64> {
    object.get(name).and_then(lenient::integer)
}

fn needed(object: &Map<String, Value>, name: &str) -> Result<i64, String> {
    integer(object, name).ok_or_else(|| format!("{name} is missing, or no whole number"))
}

fn job_id(object: &Map<String, Value>) -> Result<i32, String> {
    i32::try_from(needed(object, "jobId")?).map_err(|_| "jobId is no 32-bit number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{LogQuestion, Order};

    fn read(path: &str, body: &str) -> Result<Asked, String> {
        Asked::read(path, body.as_bytes())
    }

    #[test]
    fn what_a_real_admin_leaves_out_is_filled_in() {
        let sent = Sent {
            log_id: 9,
            log_date_time: 5,
            job_id: 7,
            params: String::new(),
            block: BlockStrategy::Serial,
            shard: (0, 1),
            is_3_5: false,
        };
        for body in [
            r#"{"jobId":7,"logId":9,"logDateTime":5}"#,
            r#"{"jobId":"7","logId":"9","logDateTim":5,"executorParams":null,"executorHandler":null,"broadcastTotal":0}"#,
            r#"{"jobId":7,"logId":9,"logDateTime":5,"executorBlockStrategy":"OF_A_LATER_RELEASE","glueType":"GLUE_RUBY"}"#,
        ] {
            assert_eq!(read("/run", body), Ok(Asked::Run(sent.clone())), "{body}");
        }
    }

    #[test]
    fn what_our_own_client_sends_is_read() {
        let order =
            Order { executor_block_strategy: BlockStrategy::CoverEarly, ..Order::of_handler(7, "h", "a=1", 9, 5) };
        let Ok(Asked::Run(sent)) = Asked::read("/trigger", &serde_json::to_vec(&order).unwrap()) else { panic!() };
        assert_eq!((sent.params.as_str(), sent.block, sent.is_3_5), ("a=1", BlockStrategy::CoverEarly, true));
        let question = serde_json::to_vec(&LogQuestion::new(9, 5, 3)).unwrap();
        assert_eq!(Asked::read("/log", &question), Ok(Asked::Log { log_id: 9, from_line: 3 }));
        assert_eq!(
            read("/log", r#"{"logDateTim":5,"logId":9,"fromLineNum":0}"#),
            Ok(Asked::Log { log_id: 9, from_line: 1 })
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_reason() {
        for (path, body, why) in [
            ("/run", "", "no JSON object"),
            ("/run", "[]", "no JSON object"),
            ("/run", r#"{"jobId":7}"#, "logId is missing"),
            ("/kill", r#"{"jobId":4294967296}"#, "no 32-bit number"),
            ("/idleBeat", r#"{"jobId":"x"}"#, "jobId is missing"),
            ("/log", r#"{"fromLineNum":1}"#, "logId is missing"),
            ("/run?x=1", "{}", "uri-mapping(/run?x=1) not found"),
        ] {
            let refused = read(path, body).unwrap_err();
            assert!(refused.contains(why), "{path} {body}: {refused}");
        }
        assert_eq!(read("/beat", ""), Ok(Asked::Beat));
    }
}
