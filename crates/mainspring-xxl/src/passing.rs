//! Runs that an old admin sends to a proxy, which has them executed elsewhere: what is known of each, and what is answered.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::asked::Sent;
use crate::words::BlockStrategy;

/// Ended runs whose logs can still be asked for.
const ENDED_MAX: usize = 1_000;
/// Longest message that executors send, in characters.
const MESSAGE_MAX: usize = 50_000;

/// A run that an old admin has sent, until it has taken the end of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Passed {
    /// Its number there.
    pub log_id: i64,
    /// When it was triggered there, in milliseconds since 1970 UTC.
    pub log_date_time: i64,
    /// The job's number there.
    pub job_id: i32,
    /// Its parameter.
    pub params: String,
    /// Whether the admin speaks 3.5.
    pub is_3_5: bool,
    /// The namespace and name of the job here.
    pub job: (String, String),
    /// Its id here, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Whether it is to be ended.
    #[serde(default)]
    pub killed: bool,
}

/// Which run of an old admin it is: its number there, and when it was triggered there, in milliseconds since 1970 UTC. An admin that has
/// lost its runs, or was set up anew, gives the same numbers again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PassedId {
    /// Its number.
    pub log_id: i64,
    /// When it was triggered.
    pub log_date_time: i64,
}

impl Passed {
    /// Returns which run it is.
    #[must_use]
    pub const fn id(&self) -> PassedId {
        PassedId { log_id: self.log_id, log_date_time: self.log_date_time }
    }

    /// Returns a key that is of this run alone, so that it starts once however often it is asked for.
    #[must_use]
    pub fn key(&self, app: &str) -> String {
        format!("xxl-proxy-{app}-{}-{}", self.log_id, self.log_date_time)
    }

    /// Returns the body that reports the end to an admin, with the words of every release.
    #[must_use]
    pub fn report(&self, code: i64, message: &str) -> Value {
        let message: String = message.chars().take(MESSAGE_MAX).collect();
        let item = json!({
            "logId": self.log_id,
            "logDateTim": self.log_date_time,
            "logDateTime": self.log_date_time,
            "handleCode": code,
            "handleMsg": message,
            "executeResult": {"code": code, "msg": message},
        });
        if self.is_3_5 { json!({"callbackList": [item]}) } else { json!([item]) }
    }
}

/// The runs that were passed on.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Passing {
    open: Vec<Passed>,
    ended: VecDeque<Ended>,
}

/// A run whose end the admin knows. Files of earlier releases have the number and the run alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Ended {
    Known(PassedId, String),
    Numbered(i64, String),
}

impl Ended {
    /// Whether it is this run, as far as the file can tell.
    fn is(&self, id: PassedId) -> bool {
        match self {
            Self::Known(known, _) => *known == id,
            Self::Numbered(log_id, _) => *log_id == id.log_id,
        }
    }

    const fn log_id(&self) -> i64 {
        match self {
            Self::Known(PassedId { log_id, .. }, _) | Self::Numbered(log_id, _) => *log_id,
        }
    }

    const fn log_date_time(&self) -> i64 {
        match self {
            Self::Known(PassedId { log_date_time, .. }, _) => *log_date_time,
            Self::Numbered(..) => i64::MIN,
        }
    }

    fn run(&self) -> &str {
        match self {
            Self::Known(_, run) | Self::Numbered(_, run) => run,
        }
    }
}

/// What becomes of a run that is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admitted {
    /// It is noted, and is to be started.
    New(Passed),
    /// It is there already: the admin, or its HTTP client, has sent it again.
    Known,
    /// It is refused, for this reason.
    Refused(String),
}

/// What there is of a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Newest {
    /// No run was passed on under it, or that is long ago.
    Unknown,
    /// The run has not begun here.
    Waiting,
    /// The id of the run here.
    Begun(String),
}

impl Passing {
    /// Decides about a run that is sent, and notes it with the job that executes it. What it covers is to be ended.
    ///
    /// ```
    /// use mainspring_xxl::{Admitted, Asked, Passing};
    /// let Ok(Asked::Run(sent)) = Asked::read("/run", br#"{"jobId":7,"logId":1}"#) else { panic!() };
    /// let mut passing = Passing::default();
    /// let job = ("default".to_owned(), "send-7".to_owned());
    /// assert!(matches!(passing.admit(&sent, job.clone()), Admitted::New(_)));
    /// assert_eq!(passing.admit(&sent, job), Admitted::Known);
    /// ```
    pub fn admit(&mut self, sent: &Sent, job: (String, String)) -> Admitted {
        if self.knows(sent.id()) {
            return Admitted::Known;
        }
        let (index, total) = sent.shard;
        if total > 1 {
            return Admitted::Refused(format!(
                "shard {index} of {total} is not passed on: the job here is broadcast itself, so its group there must have the proxy alone"
            ));
        }
        if sent.block == BlockStrategy::DiscardLater && self.of_job(sent.job_id).next().is_some() {
            return Admitted::Refused("block strategy effect: Discard Later".to_owned());
        }
        if sent.block == BlockStrategy::CoverEarly {
            self.kill(sent.job_id);
        }
        let passed = Passed {
            log_id: sent.log_id,
            log_date_time: sent.log_date_time,
            job_id: sent.job_id,
            params: sent.params.clone(),
            is_3_5: sent.is_3_5,
            job,
            run: None,
            killed: false,
        };
        self.open.push(passed.clone());
        Admitted::New(passed)
    }

    /// Tells whether a run was sent before.
    #[must_use]
    pub fn knows(&self, id: PassedId) -> bool {
        self.find(id).is_some() || self.ended.iter().any(|ended| ended.is(id))
    }

    /// Notes the id of a run here.
    pub fn begun(&mut self, id: PassedId, run: &str) {
        if let Some(passed) = self.open.iter_mut().find(|passed| passed.id() == id) {
            passed.run = Some(run.to_owned());
        }
    }

    /// Notes that the runs of a job are to be ended.
    pub fn kill(&mut self, job_id: i32) {
        self.open.iter_mut().filter(|passed| passed.job_id == job_id).for_each(|passed| passed.killed = true);
    }

    /// Forgets a run whose end the admin knows, or that never began. Its log can still be asked for.
    pub fn end(&mut self, id: PassedId) {
        if let Some(place) = self.open.iter().position(|passed| passed.id() == id)
            && let Some(run) = self.open.remove(place).run
        {
            self.ended.push_back(Ended::Known(id, run));
        }
        let excess = self.ended.len().saturating_sub(ENDED_MAX);
        self.ended.drain(..excess);
    }

    /// The run here of the newest one with a number. An admin that asks for a log names no more than that.
    #[must_use]
    pub fn newest(&self, log_id: i64) -> Newest {
        let open = self.open.iter().filter(|passed| passed.log_id == log_id);
        let open = open.map(|passed| (passed.log_date_time, passed.run.as_deref()));
        let ended = self.ended.iter().filter(|ended| ended.log_id() == log_id);
        let ended = ended.map(|ended| (ended.log_date_time(), Some(ended.run())));
        match ended.chain(open).max_by_key(|(triggered_at, _)| *triggered_at) {
            None => Newest::Unknown,
            Some((_, None)) => Newest::Waiting,
            Some((_, Some(run))) => Newest::Begun(run.to_owned()),
        }
    }

    /// A run whose end is not reported.
    #[must_use]
    pub fn find(&self, id: PassedId) -> Option<&Passed> {
        self.open.iter().find(|passed| passed.id() == id)
    }

    /// The runs whose ends are not reported.
    #[must_use]
    pub fn open(&self) -> &[Passed] {
        &self.open
    }

    /// Those of a job.
    pub fn of_job(&self, job_id: i32) -> impl Iterator<Item = &Passed> {
        self.open.iter().filter(move |passed| passed.job_id == job_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(log_id: i64, job_id: i32, block: BlockStrategy) -> Sent {
        Sent { log_id, log_date_time: 5, job_id, params: String::new(), block, shard: (0, 1), is_3_5: false }
    }

    fn job() -> (String, String) {
        ("default".to_owned(), "job".to_owned())
    }

    #[test]
    fn block_strategies_hold_among_the_runs_that_were_passed_on() {
        use BlockStrategy::{CoverEarly, DiscardLater, Serial};
        let mut passing = Passing::default();
        for (log_id, job_id) in [(1, 7), (2, 8)] {
            assert!(matches!(passing.admit(&sent(log_id, job_id, DiscardLater), job()), Admitted::New(_)));
        }
        assert_eq!(passing.admit(&sent(1, 7, DiscardLater), job()), Admitted::Known);
        assert!(matches!(passing.admit(&sent(3, 7, DiscardLater), job()), Admitted::Refused(_)));
        assert!(matches!(passing.admit(&sent(4, 7, Serial), job()), Admitted::New(_)));
        assert!(passing.open().iter().all(|passed| !passed.killed));
        assert!(matches!(passing.admit(&sent(5, 7, CoverEarly), job()), Admitted::New(_)));
        let killed: Vec<i64> =
            passing.open().iter().filter(|passed| passed.killed).map(|passed| passed.log_id).collect();
        assert_eq!(killed, [1, 4], "those of the job, and not the new one");
        let shard = Sent { shard: (0, 2), ..sent(6, 9, Serial) };
        assert!(matches!(passing.admit(&shard, job()), Admitted::Refused(why) if why.contains("shard 0 of 2")));
        assert_eq!(passing.of_job(9).count(), 0, "what is refused is not noted");
    }

    fn begun(run: &str) -> Newest {
        Newest::Begun(run.to_owned())
    }

    const fn id(log_id: i64) -> PassedId {
        PassedId { log_id, log_date_time: 5 }
    }

    #[test]
    fn runs_are_found_by_their_numbers_also_after_their_end() {
        let mut passing = Passing::default();
        for number in 0..1_100 {
            passing.admit(&sent(number, 7, BlockStrategy::Serial), job());
            passing.begun(id(number), &format!("run-{number}"));
        }
        (0..1_100).for_each(|number| passing.end(id(number)));
        assert_eq!((passing.newest(99), passing.newest(100)), (Newest::Unknown, begun("run-100")));
        assert!(passing.open().is_empty());
        assert!(passing.knows(id(1_099)), "one that is sent again after its end does not run again");
        passing.admit(&sent(5_000, 7, BlockStrategy::Serial), job());
        assert_eq!(passing.newest(5_000), Newest::Waiting);
        passing.end(id(5_000));
        assert_eq!(passing.newest(5_000), Newest::Unknown, "it never began");
    }

    #[test]
    fn a_number_that_an_admin_gives_again_is_another_run() {
        let mut passing = Passing::default();
        let first = sent(1, 7, BlockStrategy::Serial);
        let second = Sent { log_date_time: 6, ..first.clone() };
        assert!(matches!(passing.admit(&first, job()), Admitted::New(_)));
        passing.begun(first.id(), "run-1");
        assert!(matches!(passing.admit(&second, job()), Admitted::New(_)), "while the first one is open");
        assert_eq!(passing.admit(&second, job()), Admitted::Known);
        passing.begun(second.id(), "run-2");
        assert_eq!(passing.find(first.id()).and_then(|passed| passed.run.as_deref()), Some("run-1"));
        assert_eq!(passing.newest(1), begun("run-2"));
        passing.end(second.id());
        assert_eq!((passing.open().len(), passing.newest(1)), (1, begun("run-2")), "the end is of its run alone");
        passing.end(first.id());
        assert_eq!(passing.newest(1), begun("run-2"), "whichever ends last");
        assert!(passing.knows(first.id()) && passing.knows(second.id()));
        let third = Sent { log_date_time: 7, ..first };
        assert!(matches!(passing.admit(&third, job()), Admitted::New(_)), "after the ends of both");
        assert_eq!(passing.newest(1), Newest::Waiting);
    }

    #[test]
    fn a_state_of_an_earlier_release_is_read() {
        let passing: Passing = serde_json::from_str(r#"{"open":[],"ended":[[1,"run-1"]]}"#).unwrap();
        assert_eq!(passing.newest(1), begun("run-1"));
        assert!(passing.knows(id(1)), "it may be the one that is sent again");
        let again: Passing = serde_json::from_str(&serde_json::to_string(&passing).unwrap()).unwrap();
        assert_eq!(again, passing);
    }

    #[test]
    fn an_end_is_reported_in_the_words_of_the_admin() {
        let Admitted::New(passed) = Passing::default().admit(&sent(1, 7, BlockStrategy::Serial), job()) else {
            panic!()
        };
        let report = passed.report(500, &"x".repeat(60_000));
        assert_eq!(
            (&report[0]["logId"], &report[0]["handleCode"], &report[0]["logDateTim"]),
            (&json!(1), &json!(500), &json!(5))
        );
        assert_eq!(report[0]["executeResult"]["msg"].as_str().map(str::len), Some(50_000));
        let newer = Passed { is_3_5: true, ..passed };
        assert_eq!(newer.report(200, "")["callbackList"][0]["logDateTime"], 5);
        assert_eq!(newer.key("mail"), "xxl-proxy-mail-1-5");
    }
}
