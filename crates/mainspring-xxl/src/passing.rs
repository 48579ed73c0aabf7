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

impl Passed {
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
    ended: VecDeque<(i64, String)>,
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
        if self.knows(sent.log_id) {
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
    pub fn knows(&self, log_id: i64) -> bool {
        self.find(log_id).is_some() || self.run_of(log_id).is_some()
    }

    /// Notes the id of a run here.
    pub fn begun(&mut self, log_id: i64, run: &str) {
        if let Some(passed) = self.open.iter_mut().find(|passed| passed.log_id == log_id) {
            passed.run = Some(run.to_owned());
        }
    }

    /// Notes that the runs of a job are to be ended.
    pub fn kill(&mut self, job_id: i32) {
        self.open.iter_mut().filter(|passed| passed.job_id == job_id).for_each(|passed| passed.killed = true);
    }

    /// Forgets a run whose end the admin knows, or that never began. Its log can still be asked for.
    pub fn end(&mut self, log_id: i64) {
        if let Some(place) = self.open.iter().position(|passed| passed.log_id == log_id)
            && let Some(run) = self.open.remove(place).run
        {
            self.ended.push_back((log_id, run));
        }
        let excess = self.ended.len().saturating_sub(ENDED_MAX);
        self.ended.drain(..excess);
    }

    /// The run here of a number, if it has begun.
    #[must_use]
    pub fn run_of(&self, log_id: i64) -> Option<&str> {
        let open = self.find(log_id).and_then(|passed| passed.run.as_deref());
        open.or_else(|| self.ended.iter().rev().find(|(id, _)| *id == log_id).map(|(_, run)| run.as_str()))
    }

    /// A run whose end is not reported.
    #[must_use]
    pub fn find(&self, log_id: i64) -> Option<&Passed> {
        self.open.iter().find(|passed| passed.log_id == log_id)
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

    #[test]
    fn runs_are_found_by_their_numbers_also_after_their_end() {
        let mut passing = Passing::default();
        for id in 0..1_100 {
            passing.admit(&sent(id, 7, BlockStrategy::Serial), job());
            passing.begun(id, &format!("run-{id}"));
        }
        (0..1_100).for_each(|id| passing.end(id));
        assert_eq!((passing.run_of(99), passing.run_of(100), passing.open().len()), (None, Some("run-100"), 0));
        assert!(passing.knows(1_099), "one that is sent again after its end does not run again");
        passing.admit(&sent(5_000, 7, BlockStrategy::Serial), job());
        passing.end(5_000);
        assert_eq!(passing.run_of(5_000), None, "it never began");
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
