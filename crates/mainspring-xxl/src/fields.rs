//! A job as the forms of XXL-JOB's console and the API of 3.5 describe it: names and texts.

use std::collections::BTreeMap;

use mainspring_api::{JobSpec, Misfire, Routing, TriggerSpec, XxlBlock};
use serde_json::Value;

use crate::alarm;
use crate::import::{Row, one};
use crate::words::{BlockStrategy, GlueType, MisfireStrategy, RouteStrategy, ScheduleType};

/// Label of a job with the number that XXL-JOB knew it by.
const ID_LABEL: &str = "xxl-id";
/// Label with the author of a job.
const AUTHOR_LABEL: &str = "xxl-author";

/// What is said of a job.
///
/// ```
/// use mainspring_xxl::Fields;
/// let said = [("jobDesc", "mail"), ("scheduleType", "CRON"), ("scheduleConf", "0 0 2 * * ?"), ("glueType", "BEAN"),
///     ("executorHandler", "send"), ("executorRouteStrategy", "FIRST"), ("executorBlockStrategy", "SERIAL_EXECUTION")];
/// let (job, notes) = Fields::new(said).job(7, "mail", "Asia/Shanghai").unwrap();
/// assert_eq!((job.name.as_str(), notes.len()), ("send-7", 0));
/// assert_eq!(Fields::of_job(&job).get("scheduleConf"), Some("0 0 2 * * ?"));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Takes names and values; of two with one name, the later one counts.
    pub fn new<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// Reads a JSON object. Members that are null say nothing; what is no text is taken as its JSON.
    #[must_use]
    pub fn of_json(body: &[u8]) -> Option<Self> {
        let Ok(Value::Object(members)) = serde_json::from_slice(body) else { return None };
        let text = |value: Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        let mut fields = Self(members.into_iter().filter_map(|(name, value)| Some((name, text(value)?))).collect());
        // 3.5 says `name` for what was `jobDesc` before.
        if let Some(name) = fields.0.get("name").cloned() {
            fields.0.entry("jobDesc".to_owned()).or_insert(name);
        }
        Some(fields)
    }

    /// The value of a name as it was given.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value without blanks around it; nothing if nothing is left.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The value as a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    /// Returns these with what others say in place of what they say.
    #[must_use]
    pub fn under(mut self, others: &Self) -> Self {
        self.0.extend(others.0.clone());
        self
    }

    /// Returns the job that is described, paused, and what is different here. Who is told of failures is said by [`tell`](crate::tell), and
    /// children by [`family`](crate::family).
    ///
    /// # Errors
    /// Why there is none.
    pub fn job(&self, id: i64, app: &str, timezone: &str) -> Result<(JobSpec, Vec<String>), String> {
        let others = self.0.iter().filter(|(name, _)| *name != "id");
        let values = others.map(|(name, value)| (column(name), value.clone()));
        let values = values.chain([("id".to_owned(), id.to_string())]).collect();
        let (mut job, notes) = one(id, app, &Row::of(values), timezone)?;
        if let Some(author) = self.text("author") {
            job.labels.insert(AUTHOR_LABEL.to_owned(), author.to_owned());
        }
        Ok((job, notes))
    }

    /// Returns what these change of a job: what XXL-JOB has no word for stays as it is, and so do the schedule, the routing,
    /// the timeout and the retries unless they are others.
    ///
    /// # Errors
    /// Why it cannot be changed so.
    pub fn change(&self, job: &JobSpec, id: i64, app: &str, timezone: &str) -> Result<(JobSpec, Vec<String>), String> {
        let before = Self::of_job(job);
        let all = before.clone().under(self);
        let (new, notes) = all.job(id, app, timezone)?;
        let schedule = ["scheduleType", "scheduleConf", "misfireStrategy", "jobCron"];
        let is_same = schedule.iter().all(|name| all.get(name) == before.get(name));
        let has_same_route = all.text("executorRouteStrategy") == before.text("executorRouteStrategy");
        let has_same = |name| all.number(name).unwrap_or(0) == before.number(name).unwrap_or(0);
        let mut labels = job.labels.clone();
        labels.extend(new.labels);
        let changed = JobSpec {
            description: new.description,
            labels,
            xxl: new.xxl,
            routing: if has_same_route { job.routing } else { new.routing },
            timeout: if has_same("executorTimeout") { job.timeout.clone() } else { new.timeout },
            retries: if has_same("executorFailRetryCount") { job.retries } else { new.retries },
            ..job.clone()
        };
        if is_same {
            return Ok((changed, notes));
        }
        // Children are not paused as a whole: of those that were stopped, or had none, the own schedule rests.
        let before = job.triggers_in_order();
        let (after_jobs, had): (Vec<_>, Vec<_>) = before.iter().map(|(_, it)| it).partition(|it| it.after.is_some());
        let rests = had.iter().all(|it| it.paused == Some(true)) && !(after_jobs.is_empty() && had.is_empty());
        let mut own = new.triggers;
        own.iter_mut().filter(|_| rests).for_each(|trigger| trigger.paused = Some(true));
        // Under the same name it stays stopped if it was.
        if let (Some(trigger), Some(had)) = (own.first_mut(), had.first()) {
            trigger.name.clone_from(&had.name);
        }
        own.extend(after_jobs.into_iter().cloned());
        Ok((JobSpec { triggers: own, schedule: None, ..changed }, notes))
    }

    /// Describes a job of executors, as far as XXL-JOB has words for it.
    #[must_use]
    pub fn of_job(job: &JobSpec) -> Self {
        let task = job.xxl.clone().unwrap_or_default();
        let glue = task.glue.as_ref();
        let kind = glue.and_then(|glue| GlueType::of_word(glue.language.as_str())).unwrap_or(GlueType::Bean);
        let triggers = job.triggers_in_order();
        let own = triggers.iter().map(|(_, trigger)| trigger).find(|trigger| trigger.after.is_none());
        let (schedule, conf, misfire) = schedule(own);
        let label = |name: &str| job.labels.get(name).cloned().unwrap_or_default();
        let seconds = job.timeout.as_deref().and_then(seconds).unwrap_or(0);
        let block = match task.block.unwrap_or_default() {
            XxlBlock::SerialExecution => BlockStrategy::Serial,
            XxlBlock::DiscardLater => BlockStrategy::DiscardLater,
            XxlBlock::CoverEarly => BlockStrategy::CoverEarly,
        };
        let route = job.routing.unwrap_or(Routing::Random);
        let route = RouteStrategy::ALL.iter().find(|word| word.ours() == route).unwrap_or(&RouteStrategy::Random);
        Self::new([
            ("jobDesc", job.description.clone().unwrap_or_default()),
            ("author", label(AUTHOR_LABEL)),
            ("alarmEmail", alarm::mail_of(job)),
            ("scheduleType", schedule.as_str().to_owned()),
            ("scheduleConf", conf),
            ("misfireStrategy", misfire.as_str().to_owned()),
            ("executorRouteStrategy", route.as_str().to_owned()),
            ("executorHandler", task.handler.clone()),
            ("executorParam", task.params.clone().unwrap_or_default()),
            ("executorBlockStrategy", block.as_str().to_owned()),
            ("executorTimeout", seconds.to_string()),
            ("executorFailRetryCount", job.retries.unwrap_or(0).to_string()),
            ("glueType", kind.as_str().to_owned()),
            ("glueSource", glue.map(|glue| glue.source.clone()).unwrap_or_default()),
            ("glueRemark", glue.and_then(|glue| glue.remark.clone()).unwrap_or_default()),
        ])
    }

    /// The number by which XXL-JOB knew a job.
    #[must_use]
    pub fn id_label(id: i64) -> (String, String) {
        (ID_LABEL.to_owned(), id.to_string())
    }

    /// The fields as JSON; those that are numbers there are numbers.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Map<String, Value> {
        let is_number = |name: &str| matches!(name, "executorTimeout" | "executorFailRetryCount");
        let value = |name: &str, text: &String| match text.parse::<i64>() {
            Ok(number) if is_number(name) => Value::from(number),
            _ => Value::from(text.clone()),
        };
        self.0.iter().map(|(name, text)| (name.clone(), value(name, text))).collect()
    }
}

/// The schedule of a trigger.
fn schedule(trigger: Option<&TriggerSpec>) -> (ScheduleType, String, MisfireStrategy) {
    let Some(trigger) = trigger else { return (ScheduleType::None, String::new(), MisfireStrategy::DoNothing) };
    let misfire = match trigger.misfire {
        Some(Misfire::DoNothing | Misfire::NextWithExistingCount) => MisfireStrategy::DoNothing,
        _ => MisfireStrategy::FireOnceNow,
    };
    let in_seconds = |text: &String| seconds(text).map_or_else(|| text.clone(), |seconds| seconds.to_string());
    let (kind, conf) = match (&trigger.cron, &trigger.every, &trigger.delay) {
        (Some(cron), ..) => (ScheduleType::Cron, cron.clone()),
        (None, Some(every), _) => (ScheduleType::FixRate, in_seconds(every)),
        (None, None, Some(delay)) => (ScheduleType::FixDelay, in_seconds(delay)),
        // One that XXL-JOB has no word for.
        (None, None, None) => (ScheduleType::None, String::new()),
    };
    (kind, conf, misfire)
}

/// The whole seconds of a duration such as `1h 30m`; nothing if it has none.
fn seconds(text: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest[..digits].parse().ok()?;
        let unit = rest[digits..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| digits + end);
        let size = match &rest[digits..unit] {
            "s" => 1,
            "m" | "min" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(size)?)?;
        rest = rest[unit..].trim_start();
    }
    Some(total).filter(|total| *total > 0)
}

/// The column that a field is kept in: `executorHandler` in `executor_handler`.
fn column(name: &str) -> String {
    if name == "childJobId" {
        return "child_jobid".to_owned();
    }
    let mut column = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            column.push('_');
        }
        column.push(c.to_ascii_lowercase());
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: [(&str, &str); 14] = [
        ("jobGroup", "1"),
        ("jobDesc", "mail"),
        ("author", "Li"),
        ("scheduleType", "FIX_RATE"),
        ("scheduleConf", "90"),
        ("misfireStrategy", "FIRE_ONCE_NOW"),
        ("executorRouteStrategy", "CONSISTENT_HASH"),
        ("executorHandler", "send"),
        ("executorParam", "a=1"),
        ("executorBlockStrategy", "COVER_EARLY"),
        ("executorTimeout", "30"),
        ("executorFailRetryCount", "2"),
        ("glueType", "BEAN"),
        ("childJobId", ""),
    ];

    #[test]
    fn a_job_is_described_as_it_was_said() {
        let said = Fields::new(FORM);
        let (job, _) = said.job(7, "mail", "UTC").unwrap();
        assert_eq!((job.labels["xxl-id"].as_str(), job.xxl.as_ref().and_then(|xxl| xxl.id)), ("7", Some(7)));
        let told = Fields::of_job(&job);
        for (name, value) in FORM.iter().filter(|(name, _)| !matches!(*name, "jobGroup" | "childJobId")) {
            assert_eq!(told.get(name), Some(*value), "{name}");
        }
        assert_eq!(told.to_json()["executorTimeout"], 30);
    }

    #[test]
    fn a_change_leaves_what_it_does_not_name() {
        let (mut job, _) = Fields::new(FORM).job(7, "mail", "UTC").unwrap();
        job.triggers[0].calendar = Some("holidays".to_owned());
        job.priority = Some(9);
        let (changed, _) = Fields::new([("executorHandler", "other")]).change(&job, 7, "mail", "UTC").unwrap();
        assert_eq!((changed.name.as_str(), changed.priority), ("send-7", Some(9)));
        assert_eq!(changed.triggers, job.triggers, "the schedule is the same");
        assert_eq!(
            changed.xxl.as_ref().map(|xxl| (xxl.handler.as_str(), xxl.params.as_deref())),
            Some(("other", Some("a=1")))
        );
        let (changed, _) = Fields::new([("scheduleConf", "60")]).change(&job, 7, "mail", "UTC").unwrap();
        assert_eq!((changed.triggers[0].every.as_deref(), &changed.triggers[0].calendar), (Some("60s"), &None));
        crate::family::follow(&mut job, "parent");
        crate::family::stop_schedule(&mut job);
        let (changed, _) = Fields::new([("scheduleConf", "60")]).change(&job, 7, "mail", "UTC").unwrap();
        assert!(crate::family::follows(&changed, "parent") && changed.triggers[0].paused == Some(true), "{changed:?}");
        let refused = Fields::new([("executorRouteStrategy", "NEAREST")]).change(&job, 7, "mail", "UTC").unwrap_err();
        assert!(refused.contains("NEAREST"), "{refused}");
    }

    #[test]
    fn another_schedule_is_that_of_the_same_trigger() {
        let (mut job, _) = Fields::new(FORM).job(7, "mail", "UTC").unwrap();
        job.triggers.clear();
        job.schedule = serde_json::from_str(r#""0 2 * * *""#).unwrap();
        crate::family::follow(&mut job, "parent");
        let (changed, _) = Fields::new([("scheduleConf", "0 0 3 * * ?")]).change(&job, 7, "mail", "UTC").unwrap();
        let names = |job: &JobSpec| job.triggers.iter().map(|it| it.name.clone().unwrap()).collect::<Vec<_>>();
        assert_eq!((names(&changed), changed.triggers[0].paused), (names(&job), None), "its pause is kept by its name");
        assert_eq!(names(&changed), ["cron", "parents"]);
    }

    #[test]
    fn a_change_leaves_routing_timeout_and_retries_unless_it_says_others() {
        let (mut job, _) = Fields::new(FORM).job(7, "mail", "UTC").unwrap();
        (job.routing, job.timeout, job.retries) = (Some(Routing::Any), Some("1500ms".to_owned()), None);
        let change = |said: &[(&str, &str)]| {
            let (new, _) = Fields::new(said.iter().copied()).change(&job, 7, "mail", "UTC").unwrap();
            (new.routing, new.timeout, new.retries)
        };
        let kept = (job.routing, job.timeout.clone(), job.retries);
        assert_eq!(change(&[("executorHandler", "other")]), kept);
        // A form says all, as it was told.
        let told = [("executorRouteStrategy", "RANDOM"), ("executorTimeout", "0"), ("executorFailRetryCount", "0")];
        assert_eq!(change(&told), kept);
        assert_eq!(change(&[("executorTimeout", ""), ("executorFailRetryCount", "")]), kept);
        let others = [("executorRouteStrategy", "FIRST"), ("executorTimeout", "9"), ("executorFailRetryCount", "3")];
        assert_eq!(change(&others), (Some(Routing::First), Some("9s".to_owned()), Some(3)));
        assert_eq!(change(&others[..1]), (Some(Routing::First), kept.1, kept.2), "each by itself");
    }

    #[test]
    fn durations_are_whole_seconds_or_none() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("1h 30m", Some(5_400)),
            ("1d", Some(86_400)),
            ("1m30s", Some(90)),
            ("500ms", None),
            ("", None),
            ("5", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn json_is_read_with_numbers_as_text() {
        let read = Fields::of_json(br#"{"id": 7, "executorParam": null, "name": "a", "addressList": ["x"]}"#).unwrap();
        assert_eq!((read.number("id"), read.get("executorParam"), read.text("name")), (Some(7), None, Some("a")));
        assert_eq!(Fields::of_json(b"[1]"), None);
    }
}
