//! Logical dates, data intervals and the dates of backfills.
//!
//! When clocks change, Airflow fires at other instants than we do, by rules of its own: answers that a change may move are
//! passed over here, and `docs/reference/workflows.md` says what differs.

use mainspring_core::Timestamp;
use mainspring_core::workflow::backfill::{Order, Reprocess, sequence};
use mainspring_core::workflow::dates::{DataInterval, Dates, LogicalDate, dates};
use mainspring_schedule::{Cron, Semantics, Zone};
use serde_json::Value;

use super::reprocess::existing;
use super::{Difference, same, text};

/// Airflow and we differ by at most the length of a change, which is an hour or less.
const ABOUT_A_CHANGE_MS: i64 = 2 * 3_600_000;

/// Morocco keeps its clocks on UTC from here on, by a release of the tz database that the recorded answers do not know.
const MOROCCO_KNOWN_UNTIL: &str = "2026-09-01T00:00:00Z";

/// How many runs the files list at most.
const LISTED_MAX: usize = 14;

struct Timetable {
    cron: Cron,
    zone: Zone,
    named: LogicalDate,
    interval: DataInterval,
}

impl Timetable {
    fn of(case: &Value) -> Self {
        let (named, interval) = match (text(case, "kind"), case["interval_s"].as_i64()) {
            ("interval", _) => (LogicalDate::Start, DataInterval::SincePreviousFire),
            ("trigger", None) => (LogicalDate::Fire, DataInterval::Fixed { length_ms: 0 }),
            ("trigger", Some(seconds)) => (LogicalDate::Start, DataInterval::Fixed { length_ms: seconds * 1_000 }),
            (kind, _) => panic!("{kind} is no kind of timetable"),
        };
        let cron = imported(text(case, "cron"));
        let cron = Cron::parse_auto(&cron, Semantics::Standard).expect("a cron expression");
        Self { cron, zone: text(case, "tz").parse().expect("a zone"), named, interval }
    }

    /// Whether runs are about the time between fires.
    fn spans(&self) -> bool {
        self.interval == DataInterval::SincePreviousFire
    }

    fn dates(&self, fire: Timestamp) -> Dates {
        dates(fire, self.cron.previous_before(&self.zone, fire), self.named, self.interval)
    }

    fn fires(&self, from: Timestamp) -> impl Iterator<Item = Timestamp> {
        let next = |fire: &Timestamp| self.cron.next_after(&self.zone, *fire);
        std::iter::successors(self.cron.next_after(&self.zone, from - 1), next)
    }

    fn last_fire(&self, now: Timestamp) -> Timestamp {
        self.cron.previous_before(&self.zone, now + 1).expect("it fired before")
    }

    /// Whether no change of clocks may move a fire.
    ///
    /// A fire of a fixed hour moves only when it lies about a change. Where the hour is `*`, Airflow goes from fire to fire in
    /// elapsed time, so that a change anywhere between two fires moves the later one, and those of the following hour with it.
    fn is_clear(&self, fire: Timestamp) -> bool {
        let about = fire - ABOUT_A_CHANGE_MS;
        let any_hour = self.cron.as_str().split(' ').nth(1) == Some("*");
        let from = self.cron.previous_before(&self.zone, about).filter(|_| any_hour).unwrap_or(about);
        self.is_steady(from, fire + ABOUT_A_CHANGE_MS)
    }

    /// Whether clocks do not change between two instants, by what both know of the zone.
    fn is_steady(&self, from: Timestamp, to: Timestamp) -> bool {
        let known = self.zone.name() != "Africa/Casablanca" || to < MOROCCO_KNOWN_UNTIL.parse().expect("an instant");
        known && self.zone.next_change(from).is_none_or(|change| change > to)
    }

    /// Whether no change of clocks may move the dates of a run.
    fn is_comparable(&self, run: &Dates) -> bool {
        self.is_clear(run.data_end) && (!self.spans() || self.is_clear(run.data_start))
    }

    /// Whether no change of clocks may move the last fires before `now`.
    fn looks_back_clearly(&self, now: Timestamp) -> bool {
        let last = self.last_fire(now);
        let one_before = self.dates(last).data_start;
        self.is_clear(last) && self.is_clear(one_before) && self.is_steady(one_before - ABOUT_A_CHANGE_MS, now)
    }
}

/// The expression as an import writes it. Where both day fields are restricted, Airflow takes a day that fits either, and so do
/// we unless one begins with `*`.
fn imported(cron: &str) -> String {
    if cron == "@quarterly" {
        return "0 0 1 */3 *".to_owned();
    }
    let mut fields: Vec<String> = cron.split(' ').map(str::to_owned).collect();
    if fields.len() == 5 && fields[2] != "*" && fields[4] != "*" {
        fields[2] = fields[2].replace("*/", "1-31/");
        fields[4] = fields[4].replace("*/", "0-6/");
    }
    fields.join(" ")
}

/// Compares which runs come next, and what a run by hand is about.
pub fn check_timetable(case: &Value) -> Result<(), Difference> {
    let timetable = Timetable::of(case);
    let now = instant(&case["now"]).expect("now");
    let theirs = case["runs"].as_array().expect("runs");
    let theirs: Vec<Dates> =
        theirs.iter().map(|run| Dates { logical: at(run, 0), data_start: at(run, 1), data_end: at(run, 2) }).collect();
    let ours = runs(case, &timetable, now, &theirs);
    let (ours, theirs) = comparable(case, &timetable, now, ours, theirs);
    let question =
        || format!("{} {:?} in {} at {now}", text(case, "kind"), timetable.cron.as_str(), timetable.zone.name());
    same(format!("runs: {}", question()), &ours, &theirs)?;
    if case["manual"].is_null() {
        return Ok(());
    }
    let by_hand = if timetable.spans() { timetable.dates(timetable.last_fire(now)) } else { timetable.dates(now) };
    let theirs = (at(&case["manual"], 0), at(&case["manual"], 1));
    if timetable.spans() && !timetable.looks_back_clearly(now) {
        return Ok(());
    }
    same(format!("by hand: {}", question()), &(by_hand.data_start, by_hand.data_end), &theirs)
}

/// Our next runs, as many as they list and a few more, since some are passed over.
fn runs(case: &Value, timetable: &Timetable, now: Timestamp, theirs: &[Dates]) -> Vec<Dates> {
    let (start, end) = (instant(&case["start"]), instant(&case["end"]));
    let catchup = case["catchup"].as_bool().expect("catchup");
    let latest = timetable.last_fire(now);
    let from = match (catchup, start) {
        (true, Some(start)) => start,
        (false, Some(start)) if timetable.spans() => start.max(timetable.dates(latest).data_start),
        (false, Some(start)) => start.max(latest),
        (false, None) if timetable.spans() => timetable.dates(latest).data_start,
        // There is nothing to catch up from.
        (true, None) if timetable.spans() => return Vec::new(),
        // The last fire or the next, by how long ago the last one is.
        (_, None) => theirs.first().map_or(latest, |first| first.data_end.max(latest)),
    };
    let bounding = |dates: &Dates| if timetable.spans() { dates.data_start } else { dates.data_end };
    let fires = timetable.fires(from).skip(usize::from(timetable.spans()));
    let within =
        fires.map(|fire| timetable.dates(fire)).take_while(|dates| end.is_none_or(|end| bounding(dates) <= end));
    within.take(LISTED_MAX * 10).collect()
}

/// The runs of both that are to be the same.
fn comparable(
    case: &Value,
    timetable: &Timetable,
    now: Timestamp,
    mut ours: Vec<Dates>,
    mut theirs: Vec<Dates>,
) -> (Vec<Dates>, Vec<Dates>) {
    let listed_max = if case["catchup"] == true { LISTED_MAX } else { 5 };
    // They stopped because the list was full, or because their timetable failed and will not go on.
    let broken_off = theirs.len() == listed_max || !case["error"].is_null();
    let until = theirs.last().map(|last| last.data_end).filter(|_| broken_off);
    ours.retain(|run| timetable.is_comparable(run) && until.is_none_or(|until| run.data_end <= until));
    theirs.retain(|run| timetable.is_comparable(run));
    // Which run is the first depends on the last fires before now.
    if !timetable.looks_back_clearly(now) {
        let first = ours.first().zip(theirs.first()).map(|(ours, theirs)| ours.data_end.max(theirs.data_end));
        ours.retain(|run| first.is_some_and(|first| run.data_end >= first));
        theirs.retain(|run| first.is_some_and(|first| run.data_end >= first));
    }
    (ours, theirs)
}

/// Compares which dates a backfill runs.
pub fn check_backfill(case: &Value) -> Result<(), Difference> {
    let timetable = Timetable::of(case);
    let [from, to, now] = ["from", "to", "now"].map(|key| instant(&case[key]).expect("an instant"));
    let reprocess = match text(case, "reprocess") {
        "none" => Reprocess::Missing,
        "failed" => Reprocess::Failed,
        "completed" => Reprocess::All,
        other => panic!("{other} is no policy"),
    };
    let order = if case["reverse"] == true { Order::Descending } else { Order::Ascending };
    // Both ends bound the data start of intervals. What has not ended before now is not run yet.
    let fires = timetable.fires(from).skip(usize::from(timetable.spans()));
    let within = |dates: &Dates| if timetable.spans() { dates.data_start <= to } else { dates.data_end <= to };
    let over: Vec<Dates> =
        fires.map(|fire| timetable.dates(fire)).take_while(within).filter(|dates| dates.data_end < now).collect();
    let clear: Vec<Timestamp> = over.iter().filter(|run| timetable.is_comparable(run)).map(|run| run.logical).collect();
    // A date of theirs is compared if the run that we would give it is.
    let comparable = |date: &Timestamp| {
        let next = timetable.cron.next_after(&timetable.zone, *date).filter(|_| timetable.spans());
        timetable.is_clear(*date) && next.is_none_or(|next| timetable.is_clear(next))
    };
    let run = |date: Timestamp| {
        let runs = case["existing"].as_object().expect("runs");
        existing(runs.iter().find(|(there, _)| there.parse() == Ok(date)).map(|(_, state)| state))
    };
    let ours = sequence(&clear, order, reprocess, run);
    let theirs = case["creates"].as_array().expect("dates").iter().map(|date| instant(date).expect("an instant"));
    let theirs: Vec<Timestamp> = theirs.filter(comparable).collect();
    let question = format!(
        "{} {:?} in {} from {from} to {to}",
        text(case, "kind"),
        timetable.cron.as_str(),
        timetable.zone.name()
    );
    same(question, &ours, &theirs)
}

fn at(list: &Value, place: usize) -> Timestamp {
    instant(&list[place]).expect("an instant")
}

fn instant(value: &Value) -> Option<Timestamp> {
    value.as_str().map(|text| text.parse().expect("an instant"))
}
