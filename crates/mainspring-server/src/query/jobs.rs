//! Jobs that a query finds: what its terms mean, and the walk over the store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task};
use mainspring_core::run::RunState;
use mainspring_schedule::{Lang, Timestamp};
use mainspring_store::{JobDigest, JobQuery, JobRow};

use super::{Field, Kind, Query, Term, Test, compare};
use crate::app::App;
use crate::refusal::Answer;
use crate::words;
use crate::work::{may_go_on, off_thread};

/// What can be asked of jobs.
pub(crate) const FIELDS: &[Field] = &[
    Field { name: "state", kind: Kind::Word(&["enabled", "paused", "failing", "running", "never"]) },
    Field { name: "name", kind: Kind::Text },
    Field { name: "namespace", kind: Kind::Text },
    Field { name: "owner", kind: Kind::Text },
    Field { name: "label", kind: Kind::Text },
    Field { name: "queue", kind: Kind::Text },
    Field { name: "task", kind: Kind::Word(&["run", "exec", "script", "http", "handler", "noop", "workflow"]) },
    Field { name: "handler", kind: Kind::Text },
    Field { name: "script", kind: Kind::Text },
    Field { name: "zone", kind: Kind::Text },
    Field { name: "calendar", kind: Kind::Text },
    Field { name: "schedule", kind: Kind::Text },
    Field { name: "next", kind: Kind::Instant },
    Field { name: "last", kind: Kind::Instant },
];

/// Jobs that are read at once where most of them are not what is looked for.
const SCANNED_AT_ONCE: usize = 1_000;
/// A walk answers after this time with what it has. At least one part is looked at, so that going on gets ahead.
const PATIENCE: Duration = Duration::from_secs(1);

/// A job that was found, with what became of it if that was asked for.
pub(crate) struct Found {
    pub(crate) row: JobRow,
    pub(crate) digest: Option<JobDigest>,
}

/// What a walk came to.
pub(crate) struct Walked {
    /// The jobs, by namespace and name.
    pub(crate) found: Vec<Found>,
    /// Where to go on: there may be more behind this job.
    pub(crate) rest: Option<JobKey>,
}

/// Finds jobs of a namespace, or of all, after a key: up to `limit`, or as many as the time allows.
pub(crate) async fn walk(
    app: &App,
    namespace: Option<&str>,
    query: &Query,
    after: Option<JobKey>,
    limit: usize,
) -> Answer<Walked> {
    walk_with(app, namespace, query, after, limit, query.0.iter().any(needs_digest)).await
}

/// The same, also with what became of each job if the query does not ask for it.
pub(super) async fn walk_with(
    app: &App,
    namespace: Option<&str>,
    query: &Query,
    after: Option<JobKey>,
    limit: usize,
    needs_digest: bool,
) -> Answer<Walked> {
    let began = Instant::now();
    let mut asked = pushed_down(query, namespace, after);
    let at_once = if query.0.is_empty() { SCANNED_AT_ONCE.min(limit + 1) } else { SCANNED_AT_ONCE };
    asked.limit = u32::try_from(at_once).unwrap_or(u32::MAX);
    let store = app.control().store();
    let query = Arc::new(query.clone());
    let mut found: Vec<Found> = Vec::new();
    loop {
        let rows = store.jobs(asked.clone()).await?;
        let is_last = rows.len() < at_once;
        asked.after = rows.last().map(|row| row.definition.key.clone());
        let mut digests = match needs_digest {
            true => {
                store.job_digests(rows.iter().map(|row| row.id).collect(), 1).await?.into_iter().map(Some).collect()
            }
            false => Vec::new(),
        };
        digests.resize(rows.len(), None);
        let (query, now, room) = (Arc::clone(&query), app.now(), limit - found.len());
        let looks_at = !query.0.is_empty();
        let look = move || those_that_fit(rows.into_iter().zip(digests), &query, now, room);
        found.extend(if looks_at { off_thread(look).await? } else { look()? });
        if found.len() > limit {
            found.truncate(limit);
            return Ok(Walked { rest: found.last().map(|last| last.row.definition.key.clone()), found });
        }
        if is_last {
            return Ok(Walked { found, rest: None });
        }
        if began.elapsed() >= PATIENCE {
            return Ok(Walked { found, rest: asked.after });
        }
    }
}

/// The states of a job, of which the first that holds says how it stands: so each job is counted once.
const STANDINGS: [&str; 5] = ["paused", "failing", "running", "never", "enabled"];

/// How a job stands, in one word.
pub(super) fn standing(found: &Found, now: Timestamp) -> &'static str {
    let facts = Facts::new(&found.row, found.digest.as_ref(), now);
    STANDINGS.into_iter().find(|state| facts.is(state)).unwrap_or("enabled")
}

/// The jobs that a query finds, and no more than one beyond the room there is, which tells that there are more.
fn those_that_fit(
    jobs: impl Iterator<Item = (JobRow, Option<JobDigest>)>,
    query: &Query,
    now: Timestamp,
    room: usize,
) -> Answer<Vec<Found>> {
    let mut found = Vec::new();
    for (row, digest) in jobs {
        may_go_on()?;
        let mut facts = Facts::new(&row, digest.as_ref(), now);
        if query.0.iter().all(|term| facts.fit(term)) {
            found.push(Found { row, digest });
            if found.len() > room {
                break;
            }
        }
    }
    Ok(found)
}

/// What the store can look for by itself. It finds at least what the query does.
fn pushed_down(query: &Query, namespace: Option<&str>, after: Option<JobKey>) -> JobQuery {
    let names = query.positive(None).chain(query.positive(Some("name")));
    let within = names.filter_map(|term| only(&term.test)).find(|text| !text.contains('*'));
    let paused = query.only("state").and_then(|state| match state {
        "paused" => Some(true),
        "enabled" => Some(false),
        _ => None,
    });
    JobQuery {
        namespace: namespace.map(str::to_owned),
        name_contains: within.map(str::to_owned),
        // The store tells large letters from small ones, and a query does not.
        label: None,
        paused,
        after,
        limit: 0,
    }
}

fn only(test: &Test) -> Option<&str> {
    match test {
        Test::Any(values) if values.len() == 1 => Some(&values[0]),
        _ => None,
    }
}

fn needs_digest(term: &Term) -> bool {
    match (term.field, &term.test) {
        (Some("state"), Test::Any(states)) => states.iter().any(|state| state != "enabled" && state != "paused"),
        (Some("next" | "last"), _) => true,
        _ => false,
    }
}

/// What is known of a job.
struct Facts<'a> {
    row: &'a JobRow,
    digest: Option<&'a JobDigest>,
    now: Timestamp,
    /// The texts of fields that were asked for, so that many terms cost as much as one.
    texts: BTreeMap<&'static str, Vec<String>>,
}

impl<'a> Facts<'a> {
    const fn new(row: &'a JobRow, digest: Option<&'a JobDigest>, now: Timestamp) -> Self {
        Self { row, digest, now, texts: BTreeMap::new() }
    }

    fn fit(&mut self, term: &Term) -> bool {
        self.holds(term) != term.negated
    }

    fn holds(&mut self, term: &Term) -> bool {
        let test = &term.test;
        match term.field {
            Some("state") => match test {
                Test::Any(states) => states.iter().any(|state| self.is(state)),
                _ => true,
            },
            Some("label") => compare::labels(test, &self.row.definition.labels),
            Some("next") => compare::instant(test, self.digest.and_then(|digest| digest.next_fire_at), self.now),
            Some("last") => compare::instant(test, self.last(), self.now),
            None => compare::texts(test, self.texts("name"), compare::is_in),
            Some(field @ ("name" | "script" | "schedule")) => compare::texts(test, self.texts(field), compare::is_in),
            Some(field) => compare::texts(test, self.texts(field), compare::is),
        }
    }

    /// The texts of a field, in small letters.
    fn texts(&mut self, field: &'static str) -> &[String] {
        let job = &*self.row.definition;
        self.texts.entry(field).or_insert_with(|| texts(job, field).iter().map(|text| text.to_lowercase()).collect())
    }

    fn is(&self, state: &str) -> bool {
        let newest = self.digest.and_then(|digest| digest.recent.first());
        match state {
            "enabled" => !self.row.paused,
            "paused" => self.row.paused,
            "failing" => newest.is_some_and(|run| run.state == RunState::Failed),
            "running" => self.digest.is_some_and(|digest| digest.running > 0),
            "never" => newest.is_none(),
            _ => false,
        }
    }

    /// When its newest run began, or ended without having begun.
    fn last(&self) -> Option<Timestamp> {
        let newest = self.digest?.recent.first()?;
        newest.started_at.or(newest.ended_at).or(Some(newest.fire_time))
    }
}

/// What a job says in a field.
fn texts<'a>(job: &'a Job, field: &str) -> Vec<Cow<'a, str>> {
    let triggers = job.triggers.iter();
    match field {
        "name" => vec![job.key.name.as_str().into()],
        "namespace" => vec![job.key.namespace.as_str().into()],
        "owner" => Some(job.owner.as_str().into()).filter(|_| !job.owner.is_empty()).into_iter().collect(),
        "queue" => vec![job.queue.as_str().into()],
        "task" => vec![job.task.kind().into()],
        "handler" => handlers(job).map(Cow::from).collect(),
        "script" => script(&job.task).into_iter().map(Cow::from).collect(),
        "zone" => triggers.map(|trigger| trigger.timezone.as_str().into()).collect(),
        "calendar" => triggers.filter_map(|trigger| Some(trigger.calendar.as_deref()?.into())).collect(),
        "schedule" => triggers.map(|trigger| schedule(trigger).into()).collect(),
        _ => Vec::new(),
    }
}

/// The handlers of a job, or of its tasks.
pub(super) fn handlers(job: &Job) -> impl Iterator<Item = &str> {
    let tasks = job.workflow().into_iter().flat_map(|workflow| workflow.tasks.iter().map(|task| &task.job.task));
    std::iter::once(&job.task).chain(tasks).filter_map(|task| match task {
        Task::Handler { name } => Some(name.as_str()),
        Task::Xxl(xxl) => Some(xxl.handler.as_str()),
        _ => None,
    })
}

/// The text of what a job does.
fn script(task: &Task) -> Vec<&str> {
    match task {
        Task::Run { script, .. } => vec![script],
        Task::Exec { argv } => argv.iter().map(String::as_str).collect(),
        Task::Script(script) => vec![&script.source],
        Task::Http(call) => vec![&call.url, call.body.as_deref().unwrap_or_default()],
        Task::Xxl(xxl) => vec![&xxl.app, &xxl.params],
        Task::Handler { .. } | Task::Noop => Vec::new(),
        Task::Workflow(workflow) => workflow.tasks.iter().flat_map(|task| script(&task.job.task)).collect(),
    }
}

/// A schedule as it is written, and in words.
fn schedule(trigger: &mainspring_core::job::TriggerDefinition) -> String {
    let words = words::explain(trigger, Lang::English);
    match &trigger.schedule {
        ScheduleDefinition::Cron { expression } => format!("cron {expression} {words}"),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::job::TriggerDefinition;
    use mainspring_core::run::Origin;
    use mainspring_core::{JobId, JobVersion, RunId};
    use mainspring_store::RunDigest;

    use super::*;
    use crate::query::parse;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000 + ms)
    }

    fn job() -> JobRow {
        let task = Task::Run { script: "pg_dump Orders".into(), shell: None };
        let mut job = Job::new(JobKey::new("prod", "Nightly-Backup"), task);
        job.owner = "Data Platform".into();
        job.labels = [("team".to_owned(), "Ops".to_owned()), ("daily".to_owned(), String::new())].into();
        let cron = ScheduleDefinition::Cron { expression: "0 9 * * 1-5".into() };
        let mut trigger = TriggerDefinition::new("t", cron);
        trigger.timezone = "Asia/Shanghai".into();
        trigger.calendar = Some("cn-holidays".into());
        job.triggers = vec![trigger];
        JobRow {
            id: JobId(1),
            version: JobVersion(1),
            change: 1,
            definition: Arc::new(job),
            paused: false,
            created_at: at(0),
            updated_at: at(0),
        }
    }

    fn digest() -> JobDigest {
        let failed = RunDigest {
            id: RunId::from_bytes([1; 16]),
            state: RunState::Failed,
            origin: Origin::Schedule,
            fire_time: at(-7_200_000),
            started_at: Some(at(-7_200_000)),
            ended_at: Some(at(-7_100_000)),
        };
        JobDigest { job: JobId(1), next_fire_at: Some(at(600_000)), active: 0, running: 0, recent: vec![failed] }
    }

    #[test]
    fn terms_say_what_jobs_are() {
        let (row, digest) = (job(), digest());
        let mut facts = Facts::new(&row, Some(&digest), at(0));
        for (text, expected) in [
            ("", true),
            ("backup", true),
            ("NIGHT*", true),
            ("night*x", false),
            ("-backup", false),
            ("backup other", false),
            ("name:backup,other", true),
            ("namespace:prod", true),
            ("namespace:pro", false),
            ("state:enabled", true),
            ("state:paused", false),
            ("-state:paused", true),
            ("state:failing", true),
            ("state:running", false),
            ("state:never", false),
            ("state:running,failing", true),
            ("owner:\"data platform\"", true),
            ("owner:data*", true),
            ("owner:data", false),
            ("-owner:", false),
            ("label:team", true),
            ("label:team=ops", true),
            ("label:team=web,daily", true),
            ("label:team=web", false),
            ("-label:owner", true),
            ("label:", true),
            ("queue:default", true),
            ("task:run", true),
            ("task:http,noop", false),
            ("handler:", false),
            ("script:pg_dump", true),
            ("script:\"dump orders\"", true),
            ("zone:asia/*", true),
            ("zone:UTC", false),
            ("calendar:cn-holidays", true),
            ("-calendar:", false),
            ("schedule:\"0 9 *\"", false),
            ("schedule:\"0 9\"", true),
            ("schedule:09:00", true),
            ("next<15m", true),
            ("next<5m", false),
            ("next>2026-01-01", true),
            ("last<1h", false),
            ("last>1h", true),
            ("-last:", false),
        ] {
            let query = parse(text, FIELDS).unwrap();
            assert_eq!(query.0.iter().all(|term| facts.fit(term)), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_made_once_for_a_job() {
        let row = job();
        let mut facts = Facts::new(&row, None, at(0));
        let first = facts.texts("schedule").as_ptr();
        let query = parse("schedule:09:00 -schedule:sunday", FIELDS).unwrap();
        assert!(query.0.iter().all(|term| facts.fit(term)));
        assert_eq!(facts.texts("schedule").as_ptr(), first);
        assert_eq!(facts.texts("script"), ["pg_dump orders"]);
    }

    #[test]
    fn one_job_more_than_there_is_room_for_is_enough() {
        let found = |text, room| {
            let jobs = std::iter::repeat_with(|| (job(), None)).take(5);
            those_that_fit(jobs, &parse(text, FIELDS).unwrap(), at(0), room).unwrap().len()
        };
        assert_eq!((found("backup", 2), found("backup", 5), found("-backup", 2)), (3, 5, 0));
    }

    #[test]
    fn store_looks_for_what_it_can() {
        let pushed = |text: &str| pushed_down(&parse(text, FIELDS).unwrap(), Some("a"), None);
        assert_eq!(pushed("Back state:paused").name_contains.as_deref(), Some("back"));
        assert_eq!((pushed("-back").name_contains, pushed("b*k").name_contains), (None, None));
        assert_eq!(pushed("state:paused").paused, Some(true));
        assert_eq!((pushed("-state:paused").paused, pushed("state:paused,enabled").paused), (None, None));
        assert_eq!(pushed("x").namespace.as_deref(), Some("a"));
    }
}
