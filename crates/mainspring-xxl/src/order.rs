//! What we ask of executors, with every field that some implementation needs.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::words::{BlockStrategy, GlueType};

/// A run to be started: the body of `/run`, or of `/trigger` in 3.5.
///
/// Java forgives missing fields and numbers as text, Go refuses the latter, and pyxxl answers HTTP 500 to the former:
/// so all are there, typed as documented.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The job: its queue at the executor, what `kill` and `idleBeat` name, and the name of a script's file.
    pub job_id: i32,
    /// Name of the handler; empty for scripts.
    pub executor_handler: String,
    /// The parameter. Scripts up to 3.2 fail on null, so it is a text.
    pub executor_params: String,
    /// What the executor does while the job runs there.
    pub executor_block_strategy: BlockStrategy,
    /// Seconds that the run may take; 0 is without limit.
    pub executor_timeout: i32,
    /// Number of the attempt, new for each: below 2^53, because Node rounds greater ones.
    pub log_id: i64,
    /// When it was triggered, in milliseconds since 1970 UTC. It selects the folder of the log: the same value is to be sent with
    /// [`LogQuestion`].
    pub log_date_time: i64,
    /// Kind of the work.
    pub glue_type: GlueType,
    /// Source of a script; empty for handlers.
    pub glue_source: String,
    /// When the source was changed. Any change ends the job's thread, so it is 0 for handlers.
    pub glue_updatetime: i64,
    /// Which shard, from 0.
    pub broadcast_index: i32,
    /// How many shards, 1 when there is one run for all.
    pub broadcast_total: i32,
}

impl Order {
    /// The largest `log_id`: Node keeps numbers as floats, which are exact up to here.
    pub const LOG_ID_MAX: i64 = (1 << 53) - 1;

    /// Makes the order of an ordinary handler: serial, without limit of time, not sharded.
    #[must_use]
    pub fn of_handler(job_id: i32, handler: &str, params: &str, log_id: i64, log_date_time: i64) -> Self {
        Self {
            job_id,
            executor_handler: handler.trim().to_owned(),
            executor_params: params.to_owned(),
            executor_block_strategy: BlockStrategy::Serial,
            executor_timeout: 0,
            log_id,
            log_date_time,
            glue_type: GlueType::Bean,
            glue_source: String::new(),
            glue_updatetime: 0,
            broadcast_index: 0,
            broadcast_total: 1,
        }
    }

    /// Makes the order of a script: serial, without limit of time, not sharded. What says that the script was changed is made of the
    /// script, so that no other change of the job ends what executors run, and an older script has the file again that it had.
    #[must_use]
    pub fn of_script(job_id: i32, glue: GlueType, source: &str, params: &str, log_id: i64, log_date_time: i64) -> Self {
        let source = sent(glue, source);
        Self {
            glue_type: glue,
            glue_updatetime: stamp(glue, &source),
            glue_source: source,
            ..Self::of_handler(job_id, "", params, log_id, log_date_time)
        }
    }
}

/// Returns the `glueUpdatetime` that executors are sent with a script.
///
/// ```
/// use mainspring_xxl::{script_stamp, words::GlueType};
/// assert_eq!(script_stamp(GlueType::Shell, "date\r\n"), script_stamp(GlueType::Shell, "date\n"));
/// ```
#[must_use]
pub fn script_stamp(glue: GlueType, source: &str) -> i64 {
    stamp(glue, &sent(glue, source))
}

/// A script as it is sent: shells fail on the line ends of browsers.
fn sent(glue: GlueType, source: &str) -> String {
    if glue == GlueType::Shell { source.replace('\r', "") } else { source.to_owned() }
}

/// An instant between 2001 and 2036 that stands for a script, in milliseconds since 1970 UTC.
fn stamp(glue: GlueType, source: &str) -> i64 {
    let hash = Sha256::new().chain_update(glue.as_str()).chain_update([0]).chain_update(source).finalize();
    let spread = u64::from_be_bytes([0, 0, 0, hash[0], hash[1], hash[2], hash[3], hash[4]]);
    1_000_000_000_000 + i64::try_from(spread).expect("it has 40 bits")
}

/// The body of `/kill` and `/idleBeat`: both name a job and never a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kill {
    /// The job.
    pub job_id: i32,
}

/// The body of `/log`, with the date under both its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogQuestion {
    /// The date as releases up to 3.4 spell it.
    pub log_date_tim: i64,
    /// The date as 3.5 spells it.
    pub log_date_time: i64,
    /// Which run.
    pub log_id: i64,
    /// The first line wanted, from 1.
    pub from_line_num: i64,
}

impl LogQuestion {
    /// Asks for the lines of a run from one on.
    #[must_use]
    pub const fn new(log_id: i64, log_date_time: i64, from_line_num: i64) -> Self {
        Self { log_date_tim: log_date_time, log_date_time, log_id, from_line_num }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_new_for_executors_when_it_was_changed_and_only_then() {
        let of = |glue, source| Order::of_script(7, glue, source, "p", 1, 2);
        let one = of(GlueType::Shell, "echo $1\r\nexit 0");
        assert_eq!((one.glue_source.as_str(), one.executor_handler.as_str()), ("echo $1\nexit 0", ""));
        assert_eq!(one, of(GlueType::Shell, "echo $1\nexit 0"));
        for other in [of(GlueType::Shell, "echo $1\nexit 1"), of(GlueType::Python, "echo $1\nexit 0")] {
            assert_ne!(other.glue_updatetime, one.glue_updatetime);
            assert!((1_000_000_000_000..2_100_000_000_000).contains(&other.glue_updatetime));
        }
        assert_eq!(of(GlueType::PowerShell, "a\r\nb").glue_source, "a\r\nb");
    }
}
