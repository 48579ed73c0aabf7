//! What becomes of each row.

use std::collections::BTreeMap;

use mainspring_api::{Bundle, JobSpec, Overlap, Semantics, TriggerSpec, XxlBlock, XxlGlue, XxlTask, is_valid_name};

use super::children::Families;
use super::dump::{Row, Tables};
use super::report::{Imported, Item, Kind, xxl_id};
use super::{here, history, users};
use crate::words::{BlockStrategy, GlueType, MisfireStrategy, RouteStrategy, ScheduleType};
use crate::{Address, alarm, family, has_places};

/// How to import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Zone in which the old server read cron expressions: that of its machine, which its database does not hold.
    pub timezone: String,
    /// Whether jobs that ran there run here at once. Else all are paused.
    pub activate: bool,
    /// Channel of alerts by which the addresses of `alarm_email` are told of failures; nobody is told if absent.
    pub mail_channel: Option<String>,
    /// Apps whose scripts servers and workers of ours execute, in place of executors.
    pub scripts_here: Vec<String>,
}

/// Most retries that a job may have.
const RETRIES_MAX: i64 = 1_000;

/// Returns what becomes of everything in a dump. What is not imported is named with its reason.
#[must_use]
pub fn import(tables: &Tables, options: &Options) -> Imported {
    let release = release(tables);
    let (apps, mut items) = apps(tables);
    let mut jobs = Vec::new();
    let rows = tables.rows("xxl_job_info");
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| row.number("id"));
    let around = Around { options, apps: &apps, routes: routes(rows) };
    let mut families = Families::default();
    for row in sorted {
        let id = row.number("id").unwrap_or_default();
        let mut item = Item::new(Kind::Job, id, row.text("job_desc").or_else(|| row.text("name")).unwrap_or_default());
        if !families.add(id, row) {
            item.refuse("another job of the dump has the same id");
        } else if let Some(mut job) = around.job(id, row, &mut item) {
            tell(row, &mut job, options.mail_channel.as_deref(), &mut item);
            jobs.push(job);
        }
        items.push(item);
    }
    families.link(&mut jobs, &mut items);
    for job in &mut jobs {
        let row = families.row(job).expect("it was made of a row");
        let item = items.iter_mut().find(|item| item.kind == Kind::Job && Some(item.id) == xxl_id(job));
        pause(row, job, options.activate, item.expect("every job has one"));
    }
    items.extend(users::items(tables, &apps));
    let (histories, notes) = history::read(tables, &jobs);
    let mut whole = database(tables, release);
    notes.into_iter().for_each(|note| whole.change(note));
    items.push(whole);
    Imported { bundle: Bundle { jobs, ..Bundle::default() }, histories, items, release }
}

/// Returns the job that one row becomes, paused, or why it becomes none, with what is different.
///
/// # Errors
/// Why it becomes none.
pub(crate) fn one(id: i64, app: &str, row: &Row, timezone: &str) -> Result<(JobSpec, Vec<String>), String> {
    let group = row.number("job_group").unwrap_or_default();
    let options =
        Options { timezone: timezone.to_owned(), activate: false, mail_channel: None, scripts_here: Vec::new() };
    let apps = BTreeMap::from([(group, app.to_owned())]);
    let route = row.text("executor_route_strategy").map(str::to_owned);
    let around =
        Around { options: &options, apps: &apps, routes: route.into_iter().map(|route| (id, route)).collect() };
    let mut item = Item::new(Kind::Job, id, row.text("job_desc").or_else(|| row.text("name")).unwrap_or_default());
    match around.job(id, row, &mut item) {
        Some(job) => Ok((JobSpec { paused: Some(true), ..job }, item.notes)),
        None => Err(item.notes.join("; ")),
    }
}

/// The releases that have these tables.
fn release(tables: &Tables) -> &'static str {
    let has = |table, column| tables.has_column(table, column);
    let is_text = tables.type_of("xxl_job_info", "executor_param").is_some_and(|kind| kind.contains("text"));
    match () {
        () if has("xxl_job_group", "access_token") => "3.5",
        () if is_text => "3.4",
        () if has("xxl_job_user", "token") => "3.2-3.3",
        () if has("xxl_job_info", "schedule_type") => "2.3-3.1",
        () if !has("xxl_job_info", "trigger_status") => "2.0",
        () if has("xxl_job_group", "order") => "2.1",
        () => "2.2",
    }
}

/// The apps by the ids of their groups, and an item for each group.
fn apps(tables: &Tables) -> (BTreeMap<i64, String>, Vec<Item>) {
    let (mut apps, mut items) = (BTreeMap::new(), Vec::new());
    let mut first: BTreeMap<String, i64> = BTreeMap::new();
    for row in tables.rows("xxl_job_group") {
        let id = row.number("id").unwrap_or_default();
        let name = row.text("app_name").unwrap_or_default().to_owned();
        let mut item = Item::new(Kind::App, id, row.text("title").or_else(|| row.text("name")).unwrap_or(&name));
        if !XxlTask::is_app_name(&name) {
            item.refuse(format!(
                "{name:?} cannot name an app: 1 to 64 letters, digits, '.', '_' and '-', beginning with a letter or digit"
            ));
        } else {
            item.becomes = Some(format!("app {name}"));
            if let Some(other) = first.get(&name) {
                item.change(format!("group {other} has the same app name {name}: both are one app"));
            }
            if row.number("address_type") == Some(1) {
                item.change(by_hand(&name, row.text("address_list").unwrap_or_default()));
            }
            if let Some(token) = row.text("access_token") {
                item.change(if token == KNOWN_TOKEN { NEW_TOKEN } else { OWN_TOKEN });
            }
            first.entry(name.clone()).or_insert(id);
            apps.insert(id, name);
        }
        items.push(item);
    }
    (apps, items)
}

/// The token that XXL-JOB ships.
const KNOWN_TOKEN: &str = "default_token";
const NEW_TOKEN: &str =
    "its access token is default_token, which everybody knows: give its executors the one with which the app is made";
const OWN_TOKEN: &str = "its access token is not taken along: make the app with --app-token-file and a file that holds it, or give its executors a new one";

/// How an app gets the addresses that were entered by hand.
fn by_hand(app: &str, list: &str) -> String {
    let is_plain =
        |address: &str| address.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/._~%-[]".contains(&byte));
    let (good, bad): (Vec<&str>, Vec<&str>) = list
        .split(',')
        .map(str::trim)
        .filter(|address| !address.is_empty())
        .partition(|address| Address::parse(address).is_ok() && is_plain(address));
    let mut note = match good.is_empty() {
        true => "no address is entered: its executors must register".to_owned(),
        false => {
            let options: String = good.iter().map(|address| format!(" --address {address}")).collect();
            format!("its addresses are entered once the app is made: mainspring xxl app set {app}{options}")
        }
    };
    if !bad.is_empty() {
        note = format!("no addresses of executors: {}; {note}", bad.join(", "));
    }
    note
}

/// What is to be said of the database as a whole.
fn database(tables: &Tables, release: &'static str) -> Item {
    let mut item = Item::new(Kind::Database, 0, format!("XXL-JOB {release}"));
    item.change(match tables.has("xxl_job_log") {
        true => "logs of runs are not imported: they are files of the executors",
        false => "runs and their logs are not imported; --history brings runs",
    });
    if release == "2.0" {
        item.change("2.0 kept in Quartz's tables which jobs were stopped: all are paused");
    }
    let locks = tables.rows("xxl_job_lock");
    if tables.has("xxl_job_lock") && !locks.iter().any(|row| row.text("lock_name") == Some("schedule_lock")) {
        item.change(
            "xxl_job_lock lacks its row schedule_lock: with several servers, jobs may have been fired twice there",
        );
    }
    item
}

/// Lets the addresses of a job be told of its failures, as they were.
fn tell(row: &Row, job: &mut JobSpec, channel: Option<&str>, item: &mut Item) {
    let Some(mail) = row.text("alarm_email") else { return };
    let Some(channel) = channel else {
        return item.change(format!(
            "nobody is told of failures: {mail} was, by e-mail; --mail-channel names the channel for that"
        ));
    };
    let (rule, bad) = alarm::rule(mail, channel);
    job.alerts.extend(rule);
    if let Some(said) = alarm::said_of(&bad) {
        item.change(said);
    }
}

/// Pauses a job that was stopped there, and all of them unless they are to be activated. Parents start children that are stopped, so only
/// the own schedule of such a child rests.
fn pause(row: &Row, job: &mut JobSpec, activate: bool, item: &mut Item) {
    let is_running = row.number("trigger_status") == Some(1);
    let is_child = job.triggers.iter().any(|trigger| trigger.after.is_some());
    let is_known = row.get("trigger_status").is_some();
    let rests = !activate || !is_known || !is_running && !is_child;
    job.paused = rests.then_some(true);
    if is_child && is_known && !is_running {
        family::stop_schedule(job);
    }
    if is_known && !is_running && activate && (!is_child || job.triggers.len() > 1) {
        let what = if is_child { ", its own schedule paused as it was" } else { ", paused as it was" };
        item.becomes = item.becomes.take().map(|becomes| becomes + what);
    }
}

/// The route of each job.
fn routes(rows: &[Row]) -> BTreeMap<i64, String> {
    let route = |row: &Row| Some((row.number("id")?, row.text("executor_route_strategy")?.to_owned()));
    rows.iter().filter_map(route).collect()
}

/// What is known beside a job's row.
struct Around<'a> {
    options: &'a Options,
    apps: &'a BTreeMap<i64, String>,
    routes: BTreeMap<i64, String>,
}

impl Around<'_> {
    /// The job that a row becomes; nothing if it is refused, which the item says.
    fn job(&self, id: i64, row: &Row, item: &mut Item) -> Option<JobSpec> {
        let group = row.number("job_group").unwrap_or_default();
        let Some(app) = self.apps.get(&group) else {
            item.refuse(format!("its executor group {group} is not in the dump, or was refused"));
            return None;
        };
        let mut job = JobSpec {
            name: name_of(id, row.text("executor_handler").unwrap_or_default()),
            description: Some(item.name.clone()).filter(|text| !text.is_empty()),
            queue: Some(app.clone()),
            ..JobSpec::default()
        };
        job.labels.insert("xxl-id".to_owned(), id.to_string());
        self.work(row, &mut job, item)?;
        self.when(row, &mut job, item)?;
        self.how(id, row, &mut job, item)?;
        here::convert(&mut job, &self.options.scripts_here, item);
        Some(job)
    }

    /// What it does: a handler, or a script that executors run.
    fn work(&self, row: &Row, job: &mut JobSpec, item: &mut Item) -> Option<()> {
        let text = row.text("glue_type").unwrap_or_default();
        let Some(glue) = GlueType::from_word(text) else {
            item.refuse(format!("its glue type {text:?} is unknown"));
            return None;
        };
        let app = job.queue.take().unwrap_or_default();
        let param = row.get("executor_param").unwrap_or_default();
        if has_places(param) {
            item.change(
                "its parameter names {{planned}}, {{planned_ms}}, {{run}} or {{attempt}}, which are filled in here",
            );
        }
        let number = row.number("id").and_then(|id| u32::try_from(id).ok());
        let mut task = XxlTask {
            app: app.clone(),
            params: Some(param.to_owned()).filter(|param| !param.is_empty()),
            id: number.filter(|id| (1..=XxlTask::ID_MAX).contains(id)),
            ..XxlTask::default()
        };
        match glue.ours() {
            None => {
                let Some(handler) = row.text("executor_handler") else {
                    item.refuse("it names no handler");
                    return None;
                };
                handler.clone_into(&mut task.handler);
                item.becomes = Some(format!("job {}: handler {handler} of app {app}", job.name));
            }
            Some(language) => {
                let Some(source) = row.get("glue_source").filter(|source| !source.trim().is_empty()) else {
                    item.refuse("its script is empty");
                    return None;
                };
                let remark = row.text("glue_remark").map(|remark| remark.chars().take(XxlGlue::REMARK_MAX).collect());
                task.glue = Some(XxlGlue { language, source: source.to_owned(), remark });
                item.becomes = Some(format!("job {}: {} script of app {app}", job.name, language.as_str()));
            }
        }
        job.xxl = Some(task);
        Some(())
    }

    /// When it runs.
    fn when(&self, row: &Row, job: &mut JobSpec, item: &mut Item) -> Option<()> {
        // Before 2.3 there was nothing but cron.
        let (kind, conf) = match row.get("schedule_type") {
            Some(kind) => (kind.trim(), row.text("schedule_conf").unwrap_or_default()),
            None => (ScheduleType::Cron.as_str(), row.text("job_cron").unwrap_or_default()),
        };
        let misfire = row.text("misfire_strategy").unwrap_or(MisfireStrategy::DoNothing.as_str());
        let Some(misfire) = MisfireStrategy::from_word(misfire) else {
            item.refuse(format!("its misfire strategy {misfire:?} is unknown"));
            return None;
        };
        let seconds = || conf.parse::<u32>().ok().filter(|seconds| *seconds > 0).map(|seconds| format!("{seconds}s"));
        let mut trigger = TriggerSpec {
            name: Some("schedule".to_owned()),
            misfire_threshold: Some(format!("{}s", MisfireStrategy::THRESHOLD_MS / 1_000)),
            ..TriggerSpec::default()
        };
        match ScheduleType::from_word(kind) {
            Some(ScheduleType::None) => return Some(()),
            Some(ScheduleType::Cron) => {
                trigger.cron = Some(conf.to_owned());
                trigger.timezone = Some(self.options.timezone.clone());
                trigger.semantics = Some(Semantics::Quartz);
                trigger.misfire = Some(misfire.of_cron());
            }
            Some(ScheduleType::FixRate) => {
                trigger.every = seconds();
                trigger.misfire = Some(misfire.of_interval());
                item.change("the interval is counted from the moment of applying, and keeps to its grid after a delay");
            }
            Some(ScheduleType::FixDelay) => {
                trigger.delay = seconds();
                item.change("the pause begins at the end of a run; XXL-JOB has no such schedule since 2.3");
            }
            None => {
                item.refuse(format!("its schedule type {kind:?} is unknown"));
                return None;
            }
        }
        if trigger.cron.is_none() && trigger.every.is_none() && trigger.delay.is_none() {
            item.refuse(format!("its schedule {conf:?} must be a number of seconds of at least 1"));
            return None;
        }
        job.triggers = vec![trigger];
        Some(())
    }

    /// Where it runs, beside what, for how long and how often.
    fn how(&self, id: i64, row: &Row, job: &mut JobSpec, item: &mut Item) -> Option<()> {
        match self.routes.get(&id).map(|text| RouteStrategy::from_word(text).ok_or(text)) {
            Some(Ok(route)) => job.routing = Some(route.ours()),
            Some(Err(text)) => {
                item.refuse(format!("its route strategy {text:?} is unknown"));
                return None;
            }
            None => item.change("it has no route strategy, with which it could not run: any worker executes it"),
        }
        let block = row.text("executor_block_strategy").unwrap_or_default();
        let known = BlockStrategy::from_word(block).unwrap_or(BlockStrategy::Serial);
        if !block.is_empty() && BlockStrategy::from_word(block).is_none() {
            item.change(format!("its block strategy {block:?} is unknown, and read as {known}, as executors do"));
        }
        // Its overlap follows.
        if let Some(xxl) = &mut job.xxl {
            xxl.block = match known {
                BlockStrategy::Serial => None,
                BlockStrategy::DiscardLater => Some(XxlBlock::DiscardLater),
                BlockStrategy::CoverEarly => Some(XxlBlock::CoverEarly),
            };
        }
        if known.ours() == Overlap::QueueAll && self.routes.get(&id).is_some_and(|route| spreads(route)) {
            item.change("one run at a time holds for all workers together; it held for each executor there");
        }
        let seconds = row.number("executor_timeout").unwrap_or(0);
        job.timeout = (seconds > 0).then(|| format!("{seconds}s"));
        let retries = row.number("executor_fail_retry_count").unwrap_or(0).max(0);
        if retries > RETRIES_MAX {
            item.change(format!("{retries} retries are more than {RETRIES_MAX}, the most there are"));
        }
        job.retries = u32::try_from(retries.min(RETRIES_MAX)).ok().filter(|retries| *retries > 0);
        Some(())
    }
}

/// Tells whether a route may give two runs of a job to two executors.
fn spreads(route: &str) -> bool {
    !matches!(
        RouteStrategy::from_word(route),
        Some(RouteStrategy::First | RouteStrategy::Last | RouteStrategy::ConsistentHash)
    )
}

/// A name with the old id in it, so that it is new, and people find it: `HANDLER-ID`, or `job-ID` where no name can be made of the
/// handler.
fn name_of(id: i64, handler: &str) -> String {
    let name = format!("{handler}-{id}");
    if is_valid_name(&name) && !handler.is_empty() { name } else { format!("job-{id}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Counts, Outcome};
    use mainspring_api::{Misfire, Routing, ScriptLanguage, XxlLanguage};

    const TABLES: &str = "CREATE TABLE xxl_job_group (id int, app_name varchar(64), title varchar(12), address_type tinyint, address_list text);
CREATE TABLE xxl_job_info (id int, job_group int, job_desc varchar(255), alarm_email varchar(255), schedule_type varchar(50), schedule_conf varchar(128),
 misfire_strategy varchar(50), executor_route_strategy varchar(50), executor_handler varchar(255), executor_param varchar(512), executor_block_strategy varchar(50),
 executor_timeout int, executor_fail_retry_count int, glue_type varchar(50), glue_source mediumtext, child_jobid varchar(255), trigger_status tinyint);
INSERT INTO xxl_job_group VALUES (1,'mail','Mail',0,'http://10.0.0.1:9999/'),(2,'mail','Mail 2',1,'http://10.0.0.2:9999'),(3,'邮件','x',0,NULL);
";

    fn options(activate: bool) -> Options {
        Options { timezone: "Asia/Shanghai".to_owned(), activate, mail_channel: None, scripts_here: Vec::new() }
    }

    /// Imports one job, of which some columns are other than usual.
    fn one(changes: &[(&str, &str)]) -> (Option<JobSpec>, Item) {
        let mut values = [
            ("id", "7"),
            ("job_group", "1"),
            ("job_desc", "'send'"),
            ("alarm_email", "NULL"),
            ("schedule_type", "'CRON'"),
            ("schedule_conf", "'0 0 2 * * ?'"),
            ("misfire_strategy", "'DO_NOTHING'"),
            ("executor_route_strategy", "'FIRST'"),
            ("executor_handler", "'sendMail'"),
            ("executor_param", "''"),
            ("executor_block_strategy", "'SERIAL_EXECUTION'"),
            ("executor_timeout", "0"),
            ("executor_fail_retry_count", "0"),
            ("glue_type", "'BEAN'"),
            ("glue_source", "''"),
            ("child_jobid", "''"),
            ("trigger_status", "1"),
        ];
        for (column, value) in changes {
            values.iter_mut().find(|(known, _)| known == column).unwrap().1 = value;
        }
        let row = values.map(|(_, value)| value).join(",");
        let tables = Tables::read(format!("{TABLES}INSERT INTO xxl_job_info VALUES ({row});").as_bytes()).unwrap();
        let mut imported = import(&tables, &options(true));
        let item = imported.items.into_iter().find(|item| item.kind == Kind::Job).unwrap();
        (imported.bundle.jobs.pop(), item)
    }

    #[test]
    fn an_ordinary_job_is_exact() {
        let (job, item) =
            one(&[("executor_param", "'a=1'"), ("executor_timeout", "30"), ("executor_fail_retry_count", "2")]);
        let job = job.unwrap();
        assert_eq!(
            (item.outcome, item.becomes.as_deref()),
            (Outcome::Exact, Some("job sendMail-7: handler sendMail of app mail"))
        );
        let expected = XxlTask {
            app: "mail".to_owned(),
            handler: "sendMail".to_owned(),
            params: Some("a=1".to_owned()),
            id: Some(7),
            ..XxlTask::default()
        };
        assert_eq!((job.xxl.as_ref(), job.queue.as_ref(), job.input.as_ref()), (Some(&expected), None, None));
        assert_eq!((job.timeout.as_deref(), job.retries, job.paused), (Some("30s"), Some(2), None));
        assert_eq!((job.routing, job.overlap_policy()), (Some(Routing::First), Overlap::QueueAll));
        let trigger = &job.triggers[0];
        assert_eq!(
            (trigger.cron.as_deref(), trigger.timezone.as_deref()),
            (Some("0 0 2 * * ?"), Some("Asia/Shanghai"))
        );
        assert_eq!((trigger.semantics, trigger.misfire), (Some(Semantics::Quartz), Some(Misfire::DoNothing)));
        assert_eq!(trigger.misfire_threshold.as_deref(), Some("5s"));
    }

    #[test]
    fn what_is_not_the_same_here_is_said() {
        type Changes<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Changes<'_>, Outcome, &str); 17] = [
            (&[("job_group", "9")], Outcome::Refused, "its executor group 9 is not in the dump, or was refused"),
            (&[("job_group", "3")], Outcome::Refused, "its executor group 3 is not in the dump, or was refused"),
            (&[("glue_type", "'GLUE_GROOVY'")], Outcome::Refused, "its script is empty"),
            (&[("glue_type", "'GLUE_LUA'")], Outcome::Refused, "its glue type \"GLUE_LUA\" is unknown"),
            (&[("executor_handler", "' '")], Outcome::Refused, "it names no handler"),
            (&[("schedule_type", "'WEEKLY'")], Outcome::Refused, "its schedule type \"WEEKLY\" is unknown"),
            (&[("schedule_type", "'FIX_RATE'")], Outcome::Refused, "must be a number of seconds of at least 1"),
            (&[("misfire_strategy", "'LATER'")], Outcome::Refused, "its misfire strategy \"LATER\" is unknown"),
            (
                &[("executor_route_strategy", "'NEAREST'")],
                Outcome::Refused,
                "its route strategy \"NEAREST\" is unknown",
            ),
            (&[("executor_route_strategy", "NULL")], Outcome::Changed, "any worker executes it"),
            (&[("executor_route_strategy", "'ROUND'")], Outcome::Changed, "it held for each executor there"),
            (&[("executor_block_strategy", "'PARALLEL'")], Outcome::Changed, "read as SERIAL_EXECUTION"),
            (&[("executor_fail_retry_count", "5000")], Outcome::Changed, "5000 retries are more than 1000"),
            (&[("alarm_email", "'a@b.c'")], Outcome::Changed, "nobody is told of failures: a@b.c was"),
            (&[("child_jobid", "'8, 9'")], Outcome::Changed, "its child 9 is not in the dump, and is not started"),
            (&[("child_jobid", "'7'")], Outcome::Changed, "it is its own child"),
            (&[("child_jobid", "'x,'")], Outcome::Changed, "its child \"x\" is no number, and is not started"),
        ];
        for (changes, outcome, note) in cases {
            let (job, item) = one(changes);
            assert_eq!((item.outcome, job.is_none()), (outcome, outcome == Outcome::Refused), "{changes:?}: {item:?}");
            assert!(item.notes.iter().any(|said| said.contains(note)), "{changes:?}: {item:?}");
        }
    }

    #[test]
    fn intervals_and_jobs_without_a_schedule_are_taken() {
        let (job, item) =
            one(&[("schedule_type", "'FIX_RATE'"), ("schedule_conf", "'30'"), ("misfire_strategy", "'FIRE_ONCE_NOW'")]);
        let trigger = job.unwrap().triggers.pop().unwrap();
        assert_eq!((trigger.every.as_deref(), trigger.misfire), (Some("30s"), Some(Misfire::FireNow)));
        assert_eq!((trigger.timezone, item.outcome), (None, Outcome::Changed));
        let (job, item) = one(&[("schedule_type", "'NONE'"), ("schedule_conf", "''")]);
        assert_eq!((job.unwrap().triggers.len(), item.outcome), (0, Outcome::Exact));
    }

    #[test]
    fn scripts_stay_scripts_of_executors() {
        for (glue, language) in [("GLUE_SHELL", XxlLanguage::Shell), ("GLUE_GROOVY", XxlLanguage::Groovy)] {
            let (job, item) = one(&[
                ("glue_type", &format!("'{glue}'")),
                ("glue_source", "'echo $1\\r\\nexit 0'"),
                ("executor_param", "'p'"),
                ("executor_handler", "''"),
                ("executor_route_strategy", "'SHARDING_BROADCAST'"),
            ]);
            let job = job.unwrap();
            let task = job.xxl.clone().unwrap();
            let glue = task.glue.unwrap();
            assert_eq!((glue.language, glue.source.as_str()), (language, "echo $1\r\nexit 0"));
            assert_eq!((task.params.as_deref(), task.id, job.name.as_str()), (Some("p"), Some(7), "job-7"));
            assert_eq!((item.outcome, job.exec), (Outcome::Changed, None));
        }
    }

    #[test]
    fn scripts_of_chosen_apps_are_executed_here() {
        for (glue, apps, language) in [
            ("GLUE_SHELL", &["mail"][..], Some(ScriptLanguage::Shell)),
            ("GLUE_POWERSHELL", &["other", "mail"], Some(ScriptLanguage::Powershell)),
            ("GLUE_SHELL", &["other"], None),
            ("GLUE_GROOVY", &["mail"], None),
            ("GLUE_PYTHON2", &["mail"], None),
        ] {
            let rows = format!(
                "{TABLES}INSERT INTO xxl_job_info (id, job_group, schedule_type, glue_type, glue_source, executor_param, executor_route_strategy, executor_block_strategy) VALUES (7,1,'NONE','{glue}','x','p','SHARDING_BROADCAST','COVER_EARLY');"
            );
            let scripts_here = apps.iter().map(|app| (*app).to_owned()).collect();
            let options = Options { scripts_here, ..options(false) };
            let mut imported = import(&Tables::read(rows.as_bytes()).unwrap(), &options);
            let job = imported.bundle.jobs.pop().unwrap();
            let item = imported.items.into_iter().find(|item| item.kind == Kind::Job).unwrap();
            assert_eq!(job.script.as_ref().map(|script| script.language), language, "{glue} {apps:?}");
            assert_eq!(job.xxl.is_none(), language.is_some());
            let said = |text: &str| item.notes.iter().any(|note| note.contains(text));
            if language.is_some() {
                assert!(job.script.unwrap().xxl_args);
                assert_eq!((job.queue.as_deref(), job.input), (Some("mail"), Some("p".into())));
                assert_eq!(
                    (job.overlap, job.routing),
                    (Some(Overlap::CancelRunning), Some(Routing::ShardingBroadcast))
                );
                assert!(said("--queues mail --scripts") && !said("--glue on"), "{item:?}");
            } else {
                assert!(said("--glue on"), "{item:?}");
                assert_eq!(said("stays a script of executors"), apps == ["mail"], "{item:?}");
            }
        }
    }

    #[test]
    fn addresses_of_alarms_are_told_of_failures_by_the_channel() {
        let tables = Tables::read(format!("{TABLES}INSERT INTO xxl_job_info (id, job_group, schedule_type, executor_handler, glue_type, executor_route_strategy, alarm_email) VALUES (1,1,'NONE','a','BEAN','FIRST','a@b.c, d@e.f,x');").as_bytes()).unwrap();
        let options = Options { mail_channel: Some("mail".to_owned()), ..options(false) };
        let imported = import(&tables, &options);
        let alert = &imported.bundle.jobs[0].alerts[0];
        assert_eq!(
            (alert.failed, &alert.channels[..], &alert.to[..]),
            (true, &["mail".to_owned()][..], &["a@b.c".to_owned(), "d@e.f".to_owned()][..])
        );
        let item = imported.items.iter().find(|item| item.kind == Kind::Job).unwrap();
        assert_eq!(item.notes, ["x is no address of e-mail, and is not told of failures"]);
    }

    #[test]
    fn apps_users_and_the_database_have_their_items() {
        let rest = "CREATE TABLE xxl_job_lock (lock_name varchar(50));
CREATE TABLE xxl_job_user (id int, username varchar(50), token varchar(100));
INSERT INTO xxl_job_user VALUES (1,'admin',NULL);
CREATE TABLE xxl_job_logglue (id int);INSERT INTO xxl_job_logglue VALUES (1),(2);";
        let tables = Tables::read(format!("{TABLES}{rest}").as_bytes()).unwrap();
        let imported = import(&tables, &options(false));
        assert_eq!(imported.release, "3.2-3.3");
        assert_eq!(imported.counts(Kind::App), Counts { exact: 1, changed: 1, refused: 1 });
        assert_eq!(imported.counts(Kind::User), Counts { exact: 0, changed: 0, refused: 1 });
        let notes: Vec<&String> = imported.items.iter().flat_map(|item| &item.notes).collect();
        for part in [
            "group 1 has the same app name mail: both are one app",
            "its addresses are entered once the app is made: mainspring xxl app set",
            "cannot name an app",
            "there are no users here",
            "lacks its row schedule_lock",
            "because they are of jobs that are not imported as scripts: 2",
        ] {
            assert!(notes.iter().any(|note| note.contains(part)), "{part}: {notes:?}");
        }
    }

    #[test]
    fn addresses_by_hand_are_named_as_a_command_takes_them() {
        let cases = [
            (
                "http://a:1/, http://b:2 ,",
                "once the app is made: mainspring xxl app set mail --address http://a:1/ --address http://b:2",
            ),
            ("", "no address is entered"),
            ("a:1,http://b:2", "no addresses of executors: a:1; its addresses are entered"),
            ("http://h/;reboot", "no addresses of executors: http://h/;reboot; no address is entered"),
        ];
        for (list, expected) in cases {
            let note = by_hand("mail", list);
            assert!(note.contains(expected), "{list}: {note}");
        }
    }

    #[test]
    fn tokens_of_groups_are_named_and_not_shown() {
        let dump = "CREATE TABLE xxl_job_info (id int);
CREATE TABLE xxl_job_group (id int, app_name varchar(64), name varchar(64), access_token varchar(255));
INSERT INTO xxl_job_group VALUES (1,'a','A','default_token'),(2,'b','B','s3cret'),(3,'c','C',NULL),(4,'d','D','');";
        let imported = import(&Tables::read(dump.as_bytes()).unwrap(), &options(false));
        let notes: Vec<String> = imported.items.iter().map(|item| item.notes.join("; ")).collect();
        assert!(notes[0].contains("everybody knows") && notes[1].contains("--app-token-file"), "{notes:?}");
        assert!(notes[2].is_empty() && notes[3].is_empty() && !notes.concat().contains("s3cret"), "{notes:?}");
    }

    #[test]
    fn a_parameter_that_would_be_filled_in_is_named() {
        for (param, outcome) in [("'day={{planned}}'", Outcome::Changed), ("'{{name}}'", Outcome::Exact)] {
            let (job, item) = one(&[("schedule_type", "'NONE'"), ("schedule_conf", "''"), ("executor_param", param)]);
            assert_eq!((item.outcome, job.is_some()), (outcome, true), "{item:?}");
        }
    }

    #[test]
    fn everything_is_paused_unless_it_ran_and_is_to_be_activated() {
        for (status, activate, paused) in
            [("1", true, None), ("0", true, Some(true)), ("1", false, Some(true)), ("0", false, Some(true))]
        {
            let dump = format!(
                "{TABLES}INSERT INTO xxl_job_info (id, job_group, schedule_type, executor_handler, glue_type, trigger_status) VALUES (1,1,'NONE','a','BEAN',{status});"
            );
            let imported = import(&Tables::read(dump.as_bytes()).unwrap(), &options(activate));
            assert_eq!(imported.bundle.jobs[0].paused, paused, "{status} {activate}");
        }
    }
}
