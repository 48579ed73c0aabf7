//! What the fuzz targets ask and what must hold of every answer. `cargo fuzz` feeds them with what it makes
//! up, and the tests of `mainspring-schedule` with what is in `corpus`, through the same functions.
//!
//! An input is a few bytes that choose zone, semantics and instants, and then a text or a list of calendars.

use std::iter::successors;
use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, Dialect, Lang, MisfirePolicy, Period, Schedule, Semantics,
    TimeOfDay, Timestamp, Trigger, TriggerState, Zone, explain, lint, steps,
};

type Target = (&'static str, fn(&[u8]));

/// The targets: the name, which is that of the corpus, and what it does with an input.
pub const TARGETS: [Target; 4] = [("parse", parse), ("next", next), ("calendars", calendars), ("periods", periods)];

/// The most steps of one question, of a few nanoseconds each in an optimised build: about 10 ms.
const STEPS_MAX: u64 = 2_000_000;
/// The most steps of a question about an expression alone.
const CRON_STEPS_MAX: u64 = 200_000;

const SEMANTICS: [Semantics; 2] = [Semantics::Standard, Semantics::Quartz];

/// Any text as an expression: an error that points into it, or a schedule that can be described and shown.
pub fn parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = Cron::parse_auto(&text, Semantics::Standard);
    for dialect in [Dialect::Quartz, Dialect::Unix] {
        let [standard, quartz] = SEMANTICS.map(|semantics| Cron::parse(&text, dialect, semantics));
        assert!(standard.is_err() || quartz.is_ok(), "{text:?} is for the standard semantics alone");
        for parsed in [standard, quartz] {
            match parsed {
                Ok(cron) => describe(&text, &cron),
                Err(error) => {
                    assert!(text.get(error.span()).is_some(), "{text:?}: {error} points at {:?}", error.span());
                    assert!(error.code().starts_with("cron.") && !error.expected().is_empty(), "{text:?}: {error}");
                }
            }
        }
    }
}

fn describe(text: &str, cron: &Cron) {
    let again = Cron::parse(&cron.to_string(), cron.dialect(), cron.semantics());
    assert!(again.as_ref() == Ok(cron), "{text:?} is shown as {cron}");
    assert!(!explain(cron, Lang::English).is_empty() && !explain(cron, Lang::Chinese).is_empty(), "{text:?}");
    for zone in ["UTC", "America/New_York"] {
        let zone = Zone::parse(zone).expect("tzdata has it");
        for remark in bounded(CRON_STEPS_MAX, "lint", cron, || lint(cron, &zone)) {
            assert!(text.get(remark.span.clone()).is_some(), "{text:?}: {remark:?}");
        }
    }
    bounded(CRON_STEPS_MAX, "never fires", cron, || cron.never_fires());
}

/// Any expression at any instant: later fires come later, and the way back agrees.
pub fn next(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (zone, semantics, t) = (bytes.zone(), bytes.semantics(), bytes.instant());
    let text = bytes.text();
    for dialect in [Dialect::Quartz, Dialect::Unix] {
        if let Ok(cron) = Cron::parse(&text, dialect, semantics) {
            ask_cron(&cron, &zone, t);
        }
    }
}

fn ask_cron(cron: &Cron, zone: &Zone, t: Timestamp) {
    let what = || format!("{cron:?} in {zone} at {t}");
    let next = |t: &Timestamp| bounded(CRON_STEPS_MAX, "next", cron, || cron.next_after(zone, *t));
    let previous = |t| bounded(CRON_STEPS_MAX, "previous", cron, || cron.previous_before(zone, t));
    let fires: Vec<Timestamp> = successors(next(&t), next).take(8).collect();
    assert!(fires.first().is_none_or(|fire| *fire > t) && fires.is_sorted_by(|a, b| a < b), "{}: {fires:?}", what());
    assert!(fires.iter().all(|fire| fire.as_millis() % 1_000 == 0), "{}: {fires:?}", what());
    assert!(fires.is_empty() || cron.never_fires().is_none(), "{} never fires, but at {fires:?}", what());
    let before = previous(t);
    assert!(before.is_none_or(|fire| fire < t), "{}: {before:?} is not before", what());
    let standard = cron.semantics() == Semantics::Standard || cron.dialect() == Dialect::Unix;
    for fire in &fires {
        assert_eq!(previous(*fire + 1), Some(*fire), "{}: the way back to {fire}", what());
        assert!(!standard || cron.matches(zone, *fire + 999), "{} does not match {fire}", what());
    }
    // Nothing lies in between; Quartz may leave out what it would find when asked later.
    if standard {
        for pair in fires.windows(2) {
            assert_eq!(previous(pair[1]), Some(pair[0]), "{}: between", what());
            let middle = pair[0] + 1_000 + pair[1].since(pair[0] + 1_000) / 2;
            assert!(middle >= pair[1] || !cron.matches(zone, middle), "{} matches {middle}", what());
        }
        // From the fire before `t`, the next one is `t` itself or the first after it.
        let again = before.and_then(|fire| next(&fire));
        assert!(again.is_none_or(|fire| fire == t || Some(&fire) == fires.first()), "{}: {again:?}", what());
    }
    bounded(CRON_STEPS_MAX, "matches", cron, || cron.matches(zone, t));
}

/// Any chain of calendars, alone and on a trigger of any kind.
pub fn calendars(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (zone, semantics, t) = (bytes.zone(), bytes.semantics(), bytes.instant());
    let trigger = bytes.trigger(zone.clone(), semantics);
    let Some(calendar) = trigger.calendar.as_deref() else {
        return;
    };
    let next = bounded(STEPS_MAX, "next included", calendar, || calendar.next_included(t, semantics, &zone));
    if let Some(next) = next.filter(|_| semantics == Semantics::Standard) {
        let t = t.clamp(Timestamp::MIN, Timestamp::MAX); // as the question is taken
        assert!(next >= t, "{calendar:?} at {t}: {next}");
        let included = |t| calendar.is_included(t, semantics, &zone);
        assert!(included(next), "{calendar:?} at {t}: {next} is excluded");
        let middle = t + next.since(t) / 2;
        assert!(middle >= next || !included(middle), "{calendar:?} at {t}: {middle} comes before {next}");
    }
    ask_trigger(&trigger, t);
}

fn ask_trigger(trigger: &Trigger, t: Timestamp) {
    let ask = |what: &str, question: &dyn Fn() -> Option<Timestamp>| bounded(STEPS_MAX, what, trigger, question);
    let valid = trigger.validate().is_ok();
    let state = trigger.first_fire();
    let next = ask("next", &|| trigger.next_after(&state, t));
    let previous = ask("previous", &|| trigger.previous_before(&state, t));
    ask("final fire", &|| trigger.final_fire());
    ask("calendar", &|| trigger.replace_calendar(&state, t, 60_000).next_fire_at);
    assert!(previous.is_none_or(|fire| fire < t), "{trigger:?} at {t}: {previous:?} is not before");
    if trigger.semantics == Semantics::Standard && valid {
        assert!(next.is_none_or(|fire| fire > t), "{trigger:?} at {t}: {next:?}");
        let counts = matches!(trigger.schedule, Schedule::DailyWindow { repeat_count: Some(_), .. });
        if let Some(next) = next.filter(|_| !counts) {
            let back = ask("back", &|| trigger.previous_before(&state, next + 1));
            assert_eq!(back, Some(next), "{trigger:?} at {t}: the way back");
        }
    }
    let now = t + 86_400_000;
    let late = TriggerState { next_fire_at: next, ..state };
    let due = bounded(STEPS_MAX, "due", trigger, || trigger.due(&late, now, 60_000, 5));
    assert!(!valid || due.state.next_fire_at.is_none_or(|next| next > now), "{trigger:?} at {t}: {due:?}");
    let missed: u64 = due.missed.iter().map(|range| range.count).sum();
    assert!(next.is_none_or(|next| next > now) || due.fires.len() as u64 + missed > 0, "{trigger:?}: {due:?}");
}

/// Any text as one of the small values: read again as it is shown.
pub fn periods(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(period) = text.parse::<Period>() {
        assert_eq!(period.to_string().parse(), Ok(period), "{text:?}");
    }
    if let Ok(time) = text.parse::<TimeOfDay>() {
        assert_eq!(time.to_string().parse(), Ok(time), "{text:?}");
    }
    if let Ok(days) = text.parse::<DaysOfWeek>() {
        assert_eq!(days.to_string().parse(), Ok(days), "{text:?}");
    }
    if let Ok(t) = text.parse::<Timestamp>() {
        assert_eq!(t.to_string().parse(), Ok(t), "{text:?}");
    }
    if let Ok(policy) = text.parse::<MisfirePolicy>() {
        assert_eq!(policy.as_str().parse(), Ok(policy), "{text:?}");
    }
    if let Ok(zone) = bounded(STEPS_MAX, "zone", &text, || Zone::parse(&text)) {
        assert!(zone.name().eq_ignore_ascii_case(&text), "{text:?} is {zone}");
    }
}

fn bounded<T>(steps_max: u64, what: &str, of: &dyn std::fmt::Debug, question: impl FnOnce() -> T) -> T {
    let before = steps::taken();
    let answer = question();
    let taken = steps::taken() - before;
    assert!(taken <= steps_max, "{what} of {of:?} takes {taken} steps");
    answer
}

/// Bytes that are used up from the front; zero when nothing is left.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn yes(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn number(&mut self, bytes: u32) -> u64 {
        (0..bytes).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.number(4) % u64::from(limit)) as u32
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    /// The rest, as text.
    fn text(&mut self) -> String {
        String::from_utf8_lossy(std::mem::take(&mut self.0)).into_owned()
    }

    /// The next text, behind its length.
    fn short_text(&mut self) -> String {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn zone(&mut self) -> Zone {
        const ZONES: [&str; 9] = [
            "UTC",
            "America/New_York",
            "Pacific/Apia",
            "Australia/Lord_Howe",
            "Antarctica/Troll",
            "Africa/Casablanca",
            "America/Sao_Paulo",
            "Asia/Beirut",
            "Europe/Dublin",
        ];
        Zone::parse(self.pick(&ZONES)).expect("tzdata has it")
    }

    fn semantics(&mut self) -> Semantics {
        self.pick(&SEMANTICS)
    }

    /// Mostly of 1960 to 2200, and sometimes anything.
    fn instant(&mut self) -> Timestamp {
        Timestamp::from_millis(match self.byte() {
            255 => self.number(8).cast_signed(),
            _ => (self.number(6) % 7_600_000_000_000).cast_signed() - 300_000_000_000,
        })
    }

    fn time(&mut self) -> TimeOfDay {
        TimeOfDay::from_millis(self.below(86_400) * 1_000).expect("a second of a day")
    }

    fn cron(&mut self, semantics: Semantics) -> Option<Cron> {
        let text = self.short_text();
        Cron::parse_auto(&text, semantics).ok()
    }

    fn days(&mut self) -> DaysOfWeek {
        let bits = self.byte();
        DaysOfWeek::from_numbers((1..=7).filter(|day| bits >> day & 1 == 1)).expect("days of a week")
    }

    fn trigger(&mut self, zone: Zone, semantics: Semantics) -> Trigger {
        let links = self.byte() % 4;
        let calendar = (0..links).fold(None, |base, _| self.calendar(semantics, base));
        let schedule = self.schedule(semantics);
        let start = self.instant();
        let end = self.yes();
        let end = end.then(|| start + (self.number(5) % 4_000_000_000_000).cast_signed());
        let misfire = self.pick(MisfirePolicy::ALL);
        Trigger { calendar, misfire, semantics, end_at: end, ..Trigger::new(schedule, zone, start) }
    }

    fn calendar(&mut self, semantics: Semantics, base: Option<Arc<Calendar>>) -> Option<Arc<Calendar>> {
        let calendar = match self.byte() % 6 {
            0 => Calendar::weekly(self.days()),
            1 => Calendar::monthly(
                (1..=31)
                    .filter(|day| self.0.get(day / 8).is_some_and(|b| b >> (day % 8) & 1 == 1))
                    .map(|day| day as u8),
            )
            .ok()?,
            2 => {
                let count = self.byte() % 24;
                Calendar::annual((0..count).map(|_| (self.byte() % 12 + 1, self.byte() % 28 + 1)).collect::<Vec<_>>())
                    .ok()?
            }
            3 => {
                let first = i64::from(self.below(80_000));
                let (count, step) = (i64::from(self.byte()), i64::from(self.byte() % 9 + 1));
                Calendar::holiday((0..count).map(|n| Date::from_day_number(first + n * step))).ok()?
            }
            4 => Calendar::daily(self.time(), self.time(), self.yes()).ok()?,
            _ => Calendar::cron(Arc::new(self.cron(semantics)?)),
        };
        let calendar = if self.yes() { calendar.in_zone(self.zone()) } else { calendar };
        Some(Arc::new(match base {
            Some(base) => calendar.on_base(base).ok()?,
            None => calendar,
        }))
    }

    fn schedule(&mut self, semantics: Semantics) -> Schedule {
        use CalendarUnit::{Day, Hour, Minute, Month, Second, Week, Year};
        let repeat_count = |bytes: &mut Self| bytes.yes().then(|| bytes.below(300));
        match self.byte() % 5 {
            0 => Schedule::At,
            1 => {
                let interval_ms = (self.number(5) % 4_000_000_000).cast_signed() + 1;
                Schedule::Every { interval_ms, repeat_count: repeat_count(self) }
            }
            2 => Schedule::CalendarInterval {
                unit: self.pick(&[Second, Minute, Hour, Day, Week, Month, Year]),
                interval: self.below(60) + 1,
                preserve_hour: self.yes(),
                skip_day: self.yes(),
            },
            3 => Schedule::DailyWindow {
                from: self.time(),
                to: self.yes().then(|| self.time()),
                days: self.days(),
                unit: self.pick(&[Second, Minute, Hour]),
                interval: self.below(24) + 1,
                repeat_count: repeat_count(self),
            },
            _ => self.cron(semantics).map_or(Schedule::At, |cron| Schedule::Cron(Arc::new(cron))),
        }
    }
}
