//! What a job may say and probably does not mean.

use mainspring_api::{ErrorCode, JobSpec, Problem, TriggerSpec};
use mainspring_core::compile;
use mainspring_core::job::{Job, ScheduleDefinition, TriggerDefinition};
use mainspring_schedule::{Resolved, Timestamp};

use super::{texts, workflow};

/// Intervals below this many milliseconds are probably a slip.
const FREQUENT_MS: i64 = 1_000;

/// What a job may say and probably does not mean, with pointers that begin at the job.
pub fn warnings(spec: &JobSpec, job: &Job, now: Timestamp) -> Vec<Problem> {
    let written = spec.triggers_in_order().into_iter().zip(&job.triggers);
    let found = written.flat_map(|((place, spec), trigger)| {
        let all = past(trigger, now).into_iter().chain(twice(&spec, trigger));
        let all: Vec<_> = all.chain(excluded_end(trigger, now)).chain(frequent(trigger)).collect();
        all.into_iter().map(move |problem: Problem| {
            let pointer = format!("{place}{}", problem.pointer);
            problem.at(pointer)
        })
    });
    let of_tasks = job.workflow().map(|workflow| workflow::warnings(spec, workflow));
    found.chain(overlapping_data(job)).chain(of_tasks.into_iter().flatten()).collect()
}

fn past(trigger: &TriggerDefinition, now: Timestamp) -> Option<Problem> {
    let ScheduleDefinition::At { at } = trigger.schedule else { return None };
    (at < now).then(|| {
        let message = format!("{at} is past: the trigger will not fire");
        let problem = Problem::new(ErrorCode::SchedulePast, message).at("/at");
        problem.hint("write a time to come; a run now is for: mainspring run start")
    })
}

/// Local times that the clocks show twice.
fn twice(spec: &TriggerSpec, trigger: &TriggerDefinition) -> Vec<Problem> {
    let Ok(zone) = compile::zone(&trigger.timezone) else { return Vec::new() };
    let texts = [("/at", &spec.at), ("/start_at", &spec.start_at), ("/end_at", &spec.end_at)];
    let texts = texts.into_iter().filter_map(|(pointer, text)| Some((pointer, text.as_deref()?)));
    let found = texts.filter_map(|(pointer, text)| match texts::resolved(text, &zone)? {
        Resolved::Twice { first, second } => {
            let message = format!("clocks in {} show {text} twice, at {first} and at {second}", zone.name());
            let problem = Problem::new(ErrorCode::ScheduleTwice, message).at(pointer);
            Some(problem.hint("the first is taken; write the instant with its offset to say which"))
        }
        Resolved::Once(_) | Resolved::Skipped { .. } => None,
    });
    found.collect()
}

/// An end at which a schedule would fire that ends before its end.
fn excluded_end(trigger: &TriggerDefinition, now: Timestamp) -> Option<Problem> {
    let kind = trigger.schedule.kind();
    let ends_before =
        matches!(trigger.schedule, ScheduleDefinition::Every { .. } | ScheduleDefinition::CalendarInterval { .. });
    let end = trigger.end_at.filter(|_| ends_before)?;
    let endless = TriggerDefinition { end_at: None, calendar: None, ..trigger.clone() };
    let compiled = compile::trigger(&endless, now, &|_| None).ok()?;
    let at_end = compiled.next_after(&compiled.first_fire(), end - 1)?;
    (at_end == end).then(|| {
        let message = format!("{end} is an instant of the schedule, and does not fire: `{kind}` ends before its end");
        let problem = Problem::new(ErrorCode::ScheduleEnd, message).at("/end_at");
        problem.hint("write a later end if it is to fire then; cron and daily_window fire at their end")
    })
}

fn frequent(trigger: &TriggerDefinition) -> Option<Problem> {
    let ScheduleDefinition::Every { interval_ms, .. } = trigger.schedule else { return None };
    (interval_ms < FREQUENT_MS).then(|| {
        let message = format!("every {interval_ms} ms is {} runs a day", 86_400_000 / interval_ms);
        let problem = Problem::new(ErrorCode::ScheduleFrequent, message).at("/every");
        problem.hint("write 1s or more, unless that many runs are meant")
    })
}

/// Runs that overlap replace each other's data; Quartz, too, warns of it.
fn overlapping_data(job: &Job) -> Option<Problem> {
    let overlaps = job.gate().is_none_or(|gate| gate.max_active > 1);
    (job.keep_data && overlaps).then(|| {
        let message = "runs of the job may overlap, and the last one that succeeds replaces what the others leave";
        let problem = Problem::new(ErrorCode::JobOverlapData, message).at("/keep_data");
        problem.hint("add overlap: hold, skip, queue_one or queue_all, with max_active 1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{self, Known, Surroundings};

    fn found(schedule: serde_json::Value) -> Vec<(String, String)> {
        let spec = serde_json::json!({"name": "a", "noop": true, "schedule": schedule});
        let spec: JobSpec = serde_json::from_value(spec).unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let around = Surroundings {
            namespace: "default",
            timezone: "Europe/Berlin",
            now,
            calendars: &|_, _| Known::Unknown,
            line: &|_| None,
        };
        let job = convert::job(&spec, &around).unwrap();
        warnings(&spec, &job, now).into_iter().map(|problem| (problem.code, problem.pointer)).collect()
    }

    #[test]
    fn what_is_allowed_and_probably_not_meant_is_told() {
        let one = |code: &str, pointer: &str| vec![(code.to_owned(), pointer.to_owned())];
        let cases = [
            (serde_json::json!({"at": "2026-10-25 02:30"}), one("schedule.twice", "/schedule/at")),
            (serde_json::json!({"at": "2026-10-25T02:30:00+01:00"}), vec![]),
            (serde_json::json!({"at": "2026-10-25 03:30"}), vec![]),
            (
                serde_json::json!([{"every": "1h", "start_at": "2026-10-25 02:00", "end_at": "2027-01-01"}]),
                [one("schedule.twice", "/schedule/0/start_at"), one("schedule.end", "/schedule/0/end_at")].concat(),
            ),
            (serde_json::json!({"every": "1h", "start_at": "2026-06-01", "end_at": "2026-06-02 00:30"}), vec![]),
            (serde_json::json!({"cron": "0 * * * *", "end_at": "2026-06-02"}), vec![]),
            (serde_json::json!({"every": "1ms"}), one("schedule.frequent", "/schedule/every")),
            (serde_json::json!({"at": "2025-10-25"}), one("schedule.past", "/schedule/at")),
        ];
        for (schedule, expected) in cases {
            assert_eq!(found(schedule.clone()), expected, "{schedule}");
        }
    }
}
