//! What a message says: what a person needs to know at night, for every channel alike.

use mainspring_api::LogFilter;
use mainspring_core::alert::{Condition, Notice, Why};
use mainspring_core::job::JobKey;
use mainspring_core::run::Origin;
use mainspring_schedule::{Period, Timestamp};
use mainspring_store::RunInfo;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::log::Log;

/// Last lines of the log that are shown, and the bytes of each.
const LINES: u32 = 20;
const LINE_BYTES_MAX: usize = 500;
/// Messages of one kind that one look makes for a channel one by one: of more, one message tells.
pub(super) const SINGLY_MAX: usize = 20;

/// A message, not yet in the words of a channel.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Message {
    /// `opened`, `reminder`, `recovered` or `test`.
    pub(super) kind: String,
    pub(super) subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) job: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) condition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<String>,
    /// Names and values, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) facts: Vec<(String, String)>,
    /// The last lines of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) log: Vec<String>,
    /// The page of the run, or of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) link: Option<String>,
    /// Commands that show more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) commands: Vec<String>,
}

impl Message {
    /// Everything but the subject as plain text.
    pub(super) fn text(&self) -> String {
        let facts = self.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        let log = (!self.log.is_empty()).then(|| format!("\nLast lines of the log:\n  {}", self.log.join("\n  ")));
        let link = self.link.as_ref().map(|link| format!("\n{link}"));
        let commands = (!self.commands.is_empty()).then(|| format!("\nTo look:\n  {}", self.commands.join("\n  ")));
        let parts: Vec<_> = facts.chain(log).chain(link).chain(commands).collect();
        parts.join("\n")
    }
}

/// A message that somebody asks for to see whether it arrives.
pub(super) fn test(app: &App, channel: &str) -> Message {
    Message {
        kind: "test".to_owned(),
        subject: format!("test of the channel {channel}"),
        facts: vec![
            ("Sent by".to_owned(), format!("mainspring on {}", app.node_name)),
            ("At".to_owned(), app.now().to_string()),
        ],
        link: app.access.site.link("/"),
        ..Message::default()
    }
}

/// Makes the message of a notice.
pub(super) async fn of(app: &App, key: &JobKey, notice: &Notice) -> Message {
    let run = match notice.run.as_ref().and_then(|run| run.parse().ok()) {
        Some(run) => app.control().store().run(run).await.ok().flatten(),
        None => None,
    };
    let is_bad = notice.why != Why::Recovered;
    let log = match &run {
        Some(run) if is_bad && run.attempt > 0 => last_lines(app, run).await,
        _ => Vec::new(),
    };
    let link = match &notice.run {
        Some(run) => app.access.site.link(&format!("/runs/{run}")),
        None => app.access.site.link(&format!("/jobs/{}/{}", key.namespace, key.name)),
    };
    Message {
        kind: kind(notice.why).to_owned(),
        subject: subject(key, notice),
        namespace: Some(key.namespace.clone()),
        job: Some(key.name.clone()),
        condition: Some(notice.condition.to_string()),
        run: notice.run.clone(),
        facts: facts(key, notice, run.as_ref()),
        log,
        link,
        commands: commands(key, notice, run.as_ref()),
    }
}

/// One message for many, where a channel would be flooded.
pub(super) fn digest(app: &App, all: &[(JobKey, Notice)], why: Why) -> Message {
    let lines = all.iter().take(SINGLY_MAX).map(|(key, notice)| ("•".to_owned(), subject(key, notice)));
    let rest = all.len().saturating_sub(SINGLY_MAX);
    let rest = (rest > 0).then(|| ("•".to_owned(), format!("and {rest} more")));
    let (what, is_bad) = match why {
        Why::Opened => ("alerts at once", true),
        Why::Reminder => ("alerts last", true),
        Why::Recovered => ("alerts are over", false),
    };
    Message {
        kind: kind(why).to_owned(),
        subject: format!("{} {what}", all.len()),
        facts: lines.chain(rest).collect(),
        link: app.access.site.link("/alerts"),
        commands: if is_bad { vec!["mainspring alert list".to_owned()] } else { Vec::new() },
        ..Message::default()
    }
}

const fn kind(why: Why) -> &'static str {
    match why {
        Why::Opened => "opened",
        Why::Reminder => "reminder",
        Why::Recovered => "recovered",
    }
}

fn duration(ms: i64) -> String {
    // Nobody needs the milliseconds of an hour.
    let ms = if ms >= 60_000 { ms - ms % 1_000 } else { ms };
    Period::from_millis(ms.max(0)).unwrap_or(Period::ZERO).to_string()
}

fn subject(key: &JobKey, notice: &Notice) -> String {
    let count = notice.open.count;
    let what = match notice.condition {
        Condition::Failed if count > 1 => format!("{count} runs failed"),
        Condition::Failed => "run failed".to_owned(),
        Condition::FailedInRow(_) => format!("{count} runs failed in a row"),
        Condition::Late(ms) => format!("not started {} after it was due", duration(ms)),
        Condition::RunsLonger(ms) => format!("runs longer than {}", duration(ms)),
        Condition::Misfired if count == 1 => "a fire time was missed".to_owned(),
        Condition::Misfired => format!("{count} fire times were missed"),
        Condition::DeadlineMissed => "not done by its deadline".to_owned(),
    };
    match notice.why {
        Why::Opened => format!("{key}: {what}"),
        Why::Reminder => format!("{key} still: {what}"),
        Why::Recovered => format!("{key} is well again, after: {what}"),
    }
}

fn facts(key: &JobKey, notice: &Notice, run: Option<&RunInfo>) -> Vec<(String, String)> {
    let open = &notice.open;
    let at = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let mut facts = vec![("Job", Some(key.to_string())), ("Run", notice.run.clone())];
    if let Some(run) = run {
        let took = run.started_at.zip(run.ended_at).map(|(start, end)| duration(end.since(start)));
        let origin = (!matches!(run.origin, Origin::Schedule)).then(|| run.origin.as_str().to_owned());
        let failure = run.error.clone().map(|error| match &run.error_code {
            Some(code) => format!("{error} ({code})"),
            None => error,
        });
        facts.extend([
            ("State", Some(run.state.as_str().to_owned())),
            ("Started by", origin),
            ("Due", at(Some(run.due_at))),
            ("Started", at(run.started_at)),
            ("Ended", at(run.ended_at)),
            ("Took", took),
            ("Attempts", (run.attempt > 1).then(|| run.attempt.to_string())),
            ("Exit", run.exit_code.map(|code| code.to_string())),
            ("Signal", run.signal.map(|signal| signal.to_string())),
            ("Error", failure),
            ("Worker", run.worker.clone()),
        ]);
    }
    facts.extend([
        ("Since", at(Some(open.since)).filter(|_| notice.why != Why::Opened)),
        ("Noticed", (open.count > 1).then(|| format!("{} times", open.count))),
    ]);
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn commands(key: &JobKey, notice: &Notice, run: Option<&RunInfo>) -> Vec<String> {
    if notice.why == Why::Recovered {
        return Vec::new();
    }
    let Some(id) = &notice.run else { return vec![format!("mainspring job get {key}")] };
    let mut commands = vec![format!("mainspring run why {id}")];
    if run.is_none_or(|run| run.attempt > 0) {
        commands.push(format!("mainspring logs {id}"));
    }
    if notice.condition == Condition::Failed {
        commands.push(format!("mainspring run rerun {id}"));
    }
    commands
}

/// The last lines of a run's log, as far as they can be read.
async fn last_lines(app: &App, run: &RunInfo) -> Vec<String> {
    let filter = LogFilter { tail: Some(LINES), ..LogFilter::default() };
    let Ok((mut log, _)) = Log::open(app, run.id, &filter).await else { return Vec::new() };
    let mut lines = Vec::new();
    while lines.len() < LINES as usize
        && let Ok(more) = log.read(app.control(), LINES as usize).await
        && !more.is_empty()
    {
        lines.extend(more.into_iter().map(|line| clean(&line.text)));
    }
    lines
}

/// A line without what only terminals understand, and not too long.
fn clean(line: &str) -> String {
    let mut shown: String = line.chars().filter(|it| *it == '\t' || !it.is_control()).collect();
    if shown.len() > LINE_BYTES_MAX {
        shown.truncate(shown.floor_char_boundary(LINE_BYTES_MAX));
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mainspring_core::alert::Open;

    use super::*;

    fn notice(condition: &str, why: Why, count: u64) -> Notice {
        let at = Timestamp::from_millis(0);
        let open = Open {
            since: at,
            run: None,
            last_at: at,
            count,
            runs: BTreeSet::new(),
            told_at: None,
            told: BTreeSet::new(),
        };
        Notice { condition: condition.parse().unwrap(), why, open, run: None, targets: BTreeSet::new(), at }
    }

    #[test]
    fn subjects_say_what_is_wrong() {
        let key = JobKey::new("pay", "roll");
        for (condition, why, count, expected) in [
            ("failed", Why::Opened, 1, "pay/roll: run failed"),
            ("failed_in_row 3", Why::Opened, 3, "pay/roll: 3 runs failed in a row"),
            ("late 10m", Why::Opened, 1, "pay/roll: not started 10m after it was due"),
            ("runs_longer 1h", Why::Reminder, 1, "pay/roll still: runs longer than 1h"),
            ("misfired", Why::Opened, 4, "pay/roll: 4 fire times were missed"),
            ("deadline_missed", Why::Opened, 1, "pay/roll: not done by its deadline"),
            ("failed", Why::Recovered, 2, "pay/roll is well again, after: 2 runs failed"),
        ] {
            assert_eq!(subject(&key, &notice(condition, why, count)), expected);
        }
    }

    #[test]
    fn lines_are_shown_without_escapes_and_cut() {
        assert_eq!(clean("\u{1b}[31mred\u{7}\tx"), "[31mred\tx");
        assert_eq!(clean(&"ü".repeat(400)).len(), 503);
    }
}
