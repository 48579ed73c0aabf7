//! Clients: they make, change, pause, resume and delete jobs and ask for runs through any node, and write down what they were
//! told. Nobody else changes their jobs, and requests about one job follow each other.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use mainspring_api::client::{Client, ClientError, Precondition};
use mainspring_api::{ErrorCode, Job, JobSpec, Reason, RunNow, WriteOptions};
use mainspring_rig::{Witness, now};
use mainspring_sim::Random;
use mainspring_sim::history::{AskedRun, Operation, Outcome, Seen, State};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::cluster::Clients;
use crate::load::{self, Draft};

/// The time for which a request is repeated. Longer than any fault.
const PATIENCE: Duration = Duration::from_secs(75);
/// The time for which a request without an answer may still be with a stopped node, or on a wire that was cut.
const STRAY: Duration = Duration::from_secs(60);
pub(crate) const NAMESPACE: &str = "default";

/// The requests and their results.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Requests that change a job, in the order in which they were first sent.
    pub(crate) operations: Vec<Operation>,
    /// Runs that were asked for under a key.
    pub(crate) asked: Vec<AskedRun>,
    /// Final runs that were looked at, and what differed from that later.
    pub(crate) seen: Vec<Seen>,
    /// Every request that was sent.
    pub(crate) requests: Vec<Value>,
    pub(crate) answers: Answers,
}

/// The results of requests for their senders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Answers {
    pub(crate) ok: u64,
    pub(crate) refused: u64,
    pub(crate) unknown: u64,
}

/// The state that clients share.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) clients: Arc<Clients>,
    pub(crate) witness: Witness,
    record: Arc<Mutex<Record>>,
    stop: watch::Receiver<bool>,
}

/// The clients of a test, at work.
pub(crate) struct Traffic {
    tasks: JoinSet<Result<()>>,
    record: Arc<Mutex<Record>>,
    stop: watch::Sender<bool>,
}

/// The change that a client wants for its job.
enum Wish {
    Save(Box<JobSpec>, Precondition),
    Pause,
    Resume,
    Delete(Precondition),
}

/// A client with its job.
struct Owner {
    number: u32,
    draft: Draft,
    state: State,
    version: u64,
    /// Until when requests without an answer may be carried out. Under which version that is, is known then; a job that is
    /// deleted and made again begins with the same version, so that is not done meanwhile.
    strays_until: Instant,
    random: Random,
    saves: u32,
}

impl Traffic {
    /// Gives each job a client of its own.
    pub(crate) fn start(
        (clients, witness, record): (Arc<Clients>, Witness, Arc<Mutex<Record>>),
        changed: Vec<(u32, Draft)>,
        asked: Vec<Draft>,
        random: &mut Random,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let desk = Desk { clients, witness, record: Arc::clone(&record), stop: stopped };
        let mut tasks = JoinSet::new();
        for (number, draft) in changed {
            let random = Random::new(random.next());
            let strays_until = Instant::now();
            let owner = Owner { number, draft, state: State::Absent, version: 0, strays_until, random, saves: 0 };
            tasks.spawn(desk.clone().change(owner));
        }
        for (place, draft) in asked.into_iter().enumerate() {
            let random = Random::new(random.next());
            tasks.spawn(desk.clone().ask(draft, place as u64 * 1_000_000, random));
        }
        tasks.spawn(desk.look(Random::new(random.next())));
        Self { tasks, record, stop }
    }

    /// Waits until every request has its answer, or was given up.
    pub(crate) async fn end(mut self) -> Result<Record> {
        let _heard = self.stop.send(true);
        while let Some(ended) = self.tasks.join_next().await {
            ended??;
        }
        Ok(std::mem::take(&mut *self.record.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Desk {
    /// Returns whether the test goes on after a while.
    pub(crate) async fn goes_on_after(&mut self, ms: u64) -> bool {
        tokio::time::timeout(Duration::from_millis(ms), self.stop.wait_for(|stop| *stop)).await.is_err()
    }

    pub(crate) fn note<T>(&self, write: impl FnOnce(&mut Record) -> T) -> T {
        write(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes a job again and again.
    async fn change(mut self, mut owner: Owner) -> Result<()> {
        let mut wait_ms = owner.random.below(3_000);
        while self.goes_on_after(wait_ms).await {
            let before = owner.draft.schedule;
            if let Some((wish, brings)) = owner.choose(&self.witness)? {
                let invoked = now()?.as_millis();
                let (job, outcome, counts_from) = (owner.number, Outcome::Unknown, invoked);
                let operation =
                    Operation { job, brings: brings.clone(), invoked, outcome, counts_from, taken_back: false };
                let place = self.note(|record| {
                    record.operations.push(operation);
                    record.operations.len() - 1
                });
                let outcome = self.carry_out(&mut owner, &wish).await?;
                self.note(|record| record.operations[place].outcome = outcome);
                match outcome {
                    Outcome::Ok(_) => owner.state = brings,
                    Outcome::Refused => owner.draft.schedule = before,
                    // Nobody knows what has become of the job, so it is left as it is.
                    Outcome::Unknown => return Ok(()),
                }
            }
            wait_ms = owner.random.between(2_000, 10_000);
        }
        Ok(())
    }

    /// Repeats a request until it has an answer that says what is the case.
    async fn carry_out(&mut self, owner: &mut Owner, wish: &Wish) -> Result<Outcome> {
        let (begun, name) = (Instant::now(), owner.draft.name.clone());
        let key = format!("{name}-{}", owner.random.next());
        let mut may_be_done = false;
        while begun.elapsed() < PATIENCE {
            let client = self.clients.any(&mut owner.random);
            let answer = wish.send(&client, &name, &key).await;
            let verdict = self.heard(&name, wish.word(), &client, &answer)?;
            match (answer, verdict) {
                (Ok(job), _) => {
                    owner.version = job.map_or(0, |job| job.version);
                    return Ok(Outcome::Ok(now()?.as_millis()));
                }
                (Err(_), Verdict::Refused) if !may_be_done => return Ok(Outcome::Refused),
                (Err(_), Verdict::Refused) => {
                    // Most likely an earlier try was carried out. A look tells.
                    if let Some(version) = wish.is_done(&client, &name, owner.version).await {
                        owner.version = version;
                        return Ok(Outcome::Ok(now()?.as_millis()));
                    }
                }
                (Err(_), Verdict::Unknown) => {
                    may_be_done = true;
                    owner.strays_until = Instant::now() + STRAY;
                }
            }
            crate::pause(300).await;
        }
        Ok(Outcome::Unknown)
    }

    /// Asks for runs of a job again and again.
    async fn ask(mut self, draft: Draft, first_key: u64, mut random: Random) -> Result<()> {
        let mut key = first_key;
        while self.goes_on_after(random.between(1_500, 6_000)).await {
            key += 1;
            let asked = AskedRun { key, acknowledged: None, made: Vec::new(), taken_back: false };
            let place = self.note(|record| {
                record.asked.push(asked);
                record.asked.len() - 1
            });
            let begun = Instant::now();
            while begun.elapsed() < PATIENCE {
                let client = self.clients.any(&mut random);
                let wish = RunNow { input: Some(json!({ "key": key })), ..RunNow::default() };
                let named = client.with_idempotency_key(format!("run-{key}"));
                let answer = named.run_job(NAMESPACE, &draft.name, &wish).await;
                self.heard(&draft.name, "run", &client, &answer)?;
                if answer.is_ok() {
                    let at = now()?.as_millis();
                    self.note(|record| record.asked[place].acknowledged = Some(at));
                    break;
                }
                crate::pause(300).await;
            }
        }
        Ok(())
    }

    /// Writes a request and its answer down.
    fn heard<T>(&self, job: &str, what: &str, client: &Client, answer: &Result<T, ClientError>) -> Result<Verdict> {
        let verdict = Verdict::of(answer);
        let at = now()?.to_string();
        let said = answer.as_ref().err().map(ToString::to_string);
        let request = json!({"at": at, "job": job, "what": what, "node": client.address(), "error": said});
        self.note(|record| {
            record.requests.push(request);
            match (answer, verdict) {
                (Ok(_), _) => record.answers.ok += 1,
                (_, Verdict::Refused) => record.answers.refused += 1,
                (_, Verdict::Unknown) => record.answers.unknown += 1,
            }
        });
        Ok(verdict)
    }
}

/// The meaning of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// Refused: nothing was done, and nothing will be.
    Refused,
    /// It may have been done, or be done yet.
    Unknown,
}

impl Verdict {
    fn of<T>(answer: &Result<T, ClientError>) -> Self {
        match answer {
            Err(ClientError::Refused(problem))
                if problem.status < 500 && problem.error_code() != Some(ErrorCode::IdempotencyPending) =>
            {
                Self::Refused
            }
            _ => Self::Unknown,
        }
    }
}

impl Owner {
    /// Returns the next change and its effect on the job; `None` if the client had better wait.
    fn choose(&mut self, witness: &Witness) -> Result<Option<(Wish, State)>> {
        let strays = Instant::now() < self.strays_until;
        Ok(match &self.state {
            State::Absent if strays => None,
            State::Absent => Some(self.save(witness, true, Precondition::Absent)?),
            State::Paused => Some((Wish::Resume, self.draft.active())),
            State::Active(_) => match self.random.below(10) {
                0 | 1 if !strays => Some((Wish::Delete(Precondition::Version(self.version)), State::Absent)),
                2..=5 => Some((Wish::Pause, State::Paused)),
                chosen => Some(self.save(witness, chosen % 2 == 0, Precondition::Version(self.version))?),
            },
        })
    }

    fn save(&mut self, witness: &Witness, anew: bool, only_if: Precondition) -> Result<(Wish, State)> {
        self.saves += 1;
        if anew && let Some(schedule) = self.draft.schedule {
            let step = self.random.between(10, 31).cast_signed() * 100;
            let step = if step == schedule.step { step + 100 } else { step };
            self.draft.schedule = Some(load::every(&mut self.random, now()?, step));
        }
        let spec = serde_json::from_value(self.draft.spec(witness, &format!("save {}", self.saves)))?;
        Ok((Wish::Save(Box::new(spec), only_if), self.draft.active()))
    }
}

impl Wish {
    const fn word(&self) -> &'static str {
        match self {
            Self::Save(_, Precondition::Absent) => "create",
            Self::Save(..) => "update",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Delete(_) => "delete",
        }
    }

    async fn send(&self, client: &Client, name: &str, key: &str) -> Result<Option<Job>, ClientError> {
        let (client, options, reason) = (client.with_idempotency_key(key), WriteOptions::default(), Reason::default());
        match self {
            Self::Save(spec, only_if) => client.put_job(NAMESPACE, spec, *only_if, options).await.map(Some),
            Self::Pause => client.pause_job(NAMESPACE, name, &reason).await.map(Some),
            Self::Resume => client.resume_job(NAMESPACE, name, &reason).await.map(Some),
            Self::Delete(only_if) => client.delete_job(NAMESPACE, name, *only_if, options).await.map(|()| None),
        }
    }

    /// Returns the version of the job if the change was made.
    async fn is_done(&self, client: &Client, name: &str, before: u64) -> Option<u64> {
        let job = match client.job(NAMESPACE, name).await {
            Ok(job) => Some(job),
            Err(error) if error.problem().is_some_and(|problem| problem.status == 404) => None,
            Err(_) => return None,
        };
        let done = match (self, &job) {
            (Self::Save(_, Precondition::Absent), Some(_)) | (Self::Delete(_), None) => true,
            (Self::Save(..), Some(job)) => job.version != before,
            (Self::Pause, Some(job)) => job.paused,
            (Self::Resume, Some(job)) => !job.paused,
            _ => false,
        };
        done.then(|| job.map_or(0, |job| job.version))
    }
}
