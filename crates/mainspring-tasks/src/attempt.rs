//! The facts of one attempt that the work is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::clock::boot_ms;
use crate::leftovers::Leftovers;

/// One try of a run, as the work sees it.
///
/// A process gets the first six through its environment (`MS_RUN_ID`, `MS_JOB`, `MS_FIRE_TIME`,
/// `MS_ATTEMPT`, `MS_PARAM_*`, `TRACEPARENT`); nothing of it is ever spliced into a script or an
/// argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The run's id.
    pub run_id: String,
    /// The job as `namespace/job`.
    pub job: String,
    /// The fire time in RFC 3339, absent for a run without one.
    pub fire_time: Option<String>,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// Parameters. `region-code` becomes `MS_PARAM_REGION_CODE`.
    pub params: BTreeMap<String, String>,
    /// The data of the job, if it keeps any: a process finds it in the file `$MS_DATA`.
    pub data: Option<Value>,
    /// Trace context as W3C `traceparent`; empty for none.
    pub traceparent: String,
    /// Variables that the job declares. They win over inherited ones, never over `MS_*`.
    pub env: BTreeMap<String, String>,
    /// Ends the attempt as timed out when it takes longer.
    pub timeout: Option<Duration>,
    /// The time between TERM and KILL for the process tree, [`Attempt::KILL_GRACE_MAX`] at most.
    pub kill_grace: Duration,
    /// The policy for processes that the program leaves running when it ends by itself.
    pub leftovers: Leftovers,
    /// The longest silence of this process, as when it is frozen, before the leash ends the process tree with KILL, or
    /// does not begin it. For work that others are given then. Without a leash it goes on.
    pub silence: Option<Silence>,
    /// The folder in which the process starts: an existing one, which stays, or when absent a private one, which is
    /// removed afterwards.
    pub working_dir: Option<PathBuf>,
}

/// The longest silence that is allowed to a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Silence {
    /// The longest.
    pub longest: Duration,
    /// The last certain sign of life, by [`boot_ms`](crate::boot_ms).
    pub since_ms: u64,
}

impl Silence {
    /// Returns the remaining time.
    pub(crate) fn left(self) -> Duration {
        self.longest.saturating_sub(Duration::from_millis(boot_ms().saturating_sub(self.since_ms)))
    }
}

impl Attempt {
    /// The limit for [`Attempt::kill_grace`].
    pub const KILL_GRACE_MAX: Duration = Duration::from_secs(3600);

    /// Returns the members of a run's input as [`Attempt::params`]: texts as they are, everything else as JSON.
    ///
    /// ```
    /// use mainspring_tasks::Attempt;
    ///
    /// let params = Attempt::params_of(&serde_json::json!({ "region": "eu", "rows": 3 }));
    /// assert_eq!((params["region"].as_str(), params["rows"].as_str()), ("eu", "3"));
    /// assert!(Attempt::params_of(&serde_json::json!("no object")).is_empty());
    /// ```
    pub fn params_of(input: &Value) -> BTreeMap<String, String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let pairs = input.as_object().into_iter().flatten();
        pairs.map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// Returns the W3C trace context of an attempt: the run is the trace, the attempt its first span.
    pub fn traceparent_of(run_id: &str, attempt: u32) -> String {
        let trace: String = run_id.chars().filter(|c| *c != '-').collect();
        format!("00-{trace}-{:016x}-01", u64::from(attempt))
    }
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            run_id: String::new(),
            job: String::new(),
            fire_time: None,
            attempt: 1,
            params: BTreeMap::new(),
            data: None,
            traceparent: String::new(),
            env: BTreeMap::new(),
            timeout: None,
            kill_grace: Duration::from_secs(10),
            leftovers: Leftovers::default(),
            silence: None,
            working_dir: None,
        }
    }
}
