//! Where claims begin, while a database keeps the rows that they have left behind.
//!
//! A server that keeps rows for somebody's old snapshot keeps them in the indexes of its queues, too. Whoever looks there for the first run that
//! waits passes all that were claimed since, so every claim gets slower for as long as the snapshot is there. While there are [many](DEAD_MIN) such
//! rows, the lines in which runs wait are looked up from the beginning only so often that it costs little. Claims in between begin at a
//! **floor**: the lowest place at which runs of a line have lately waited. A run below it (of a higher priority than others, tried again,
//! or in a line that nobody has seen) waits for the next look.
//!
//! Below that many rows there are no floors: nothing depends on how long anything takes.

use std::collections::BTreeMap;
use std::time::Duration;

/// From so many dead rows on, claims begin at floors. To pass as many takes a few milliseconds.
pub const DEAD_MIN: u64 = 20_000;

/// How often dead rows are counted, and what failed is tried again.
const COUNT_EVERY: Duration = Duration::from_secs(10);

/// After a look at everything, so many times as long as it took is waited: it costs two percent of a session's time.
const REST: u32 = 50;

/// And no less than this, nor more, whatever it costs: nothing waits for longer below a floor.
const REST_BOUNDS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(60));

/// A floor is the lowest place that was seen in about the last one or two such times. So what comes again and again stays in reach, and a claim
/// passes what has been left behind in ten seconds, or since the last look.
const TURN_EVERY: Duration = Duration::from_secs(5);

/// Lines that keep their floors though nothing was seen in them lately.
const IDLE_MAX: usize = 1_000;

/// What one process knows of the lines of a store. Instants are times since it began.
#[derive(Debug, Default)]
pub struct Floors {
    /// Whether there are so many dead rows that claims need floors.
    needed: bool,
    count_at: Duration,
    look_at: Duration,
    /// Whether somebody looks now.
    looking: bool,
    /// Until when there has to be another look. Before the first, nothing is known.
    valid_until: Option<Duration>,
    /// The first places of the lines, as the last look at everything has found them.
    found: BTreeMap<String, i64>,
    /// The lowest places that claims have seen since the last turn, and before it.
    recent: BTreeMap<String, i64>,
    older: BTreeMap<String, i64>,
    turn_at: Duration,
}

impl Floors {
    /// Whether it is time to look. If so, the caller does, and [ends](Self::end) the look.
    pub fn begin(&mut self, now: Duration) -> bool {
        let is_due = !self.looking && now >= self.look_at;
        self.looking |= is_due;
        is_due
    }

    /// Whether dead rows are to be counted in a look that begins now.
    #[must_use]
    pub fn is_count_due(&self, now: Duration) -> bool {
        now >= self.count_at
    }

    /// Notes how many dead rows there are.
    pub fn counted(&mut self, dead: u64, now: Duration) {
        self.count_at = now + COUNT_EVERY;
        self.needed = dead >= DEAD_MIN;
        if !self.needed {
            *self = Self { count_at: self.count_at, looking: self.looking, ..Self::default() };
        }
    }

    /// Whether claims need floors, so that everything is to be looked at.
    #[must_use]
    pub const fn is_needed(&self) -> bool {
        self.needed
    }

    /// Notes the lines in which runs wait with their first places, and how long it took to find them.
    pub fn found(&mut self, lines: BTreeMap<String, i64>, took: Duration, now: Duration) {
        let rest = took.saturating_mul(REST).clamp(REST_BOUNDS.0, REST_BOUNDS.1);
        self.found = lines;
        self.look_at = now + rest;
        self.valid_until = Some(self.look_at + rest * 2 + COUNT_EVERY);
    }

    /// Ends a look, whatever came of it.
    pub fn end(&mut self, now: Duration) {
        self.looking = false;
        if self.look_at <= now {
            self.look_at = now + COUNT_EVERY;
        }
    }

    /// The lines with their floors, where claims begin at them. Nothing if they look at everything.
    pub fn known(&mut self, now: Duration) -> Option<BTreeMap<String, i64>> {
        if !self.needed || self.valid_until.is_none_or(|until| now > until) {
            return None;
        }
        self.turn(now);
        let mut known = self.older.clone();
        for (line, place) in self.recent.iter().chain(&self.found) {
            lower(&mut known, line, *place);
        }
        Some(known)
    }

    /// Notes the first place of a line, as a claim has seen it from its floor on.
    pub fn saw(&mut self, line: &str, place: i64, now: Duration) {
        self.turn(now);
        lower(&mut self.recent, line, place);
    }

    /// Forgets places that have not been seen for long. The last of a line stays.
    fn turn(&mut self, now: Duration) {
        if now < self.turn_at {
            return;
        }
        self.turn_at = now + TURN_EVERY;
        let mut last = std::mem::take(&mut self.recent);
        let idle = std::mem::take(&mut self.older).into_iter().filter(|(line, _)| !last.contains_key(line));
        let idle: Vec<_> = idle.take(IDLE_MAX).collect();
        last.extend(idle);
        self.older = last;
    }
}

fn lower(places: &mut BTreeMap<String, i64>, line: &str, place: i64) {
    match places.get_mut(line) {
        Some(lowest) => *lowest = place.min(*lowest),
        None => _ = places.insert(line.to_owned(), place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn lines(lines: &[(&str, i64)]) -> BTreeMap<String, i64> {
        lines.iter().map(|(line, place)| ((*line).to_owned(), *place)).collect()
    }

    /// After a look that began at once, took so long, and found these.
    fn looked(found: &[(&str, i64)], took: Duration) -> Floors {
        let mut floors = Floors::default();
        assert!(floors.begin(ms(0)) && floors.is_count_due(ms(0)));
        floors.counted(DEAD_MIN, ms(0));
        floors.found(lines(found), took, took);
        floors.end(took);
        floors
    }

    #[test]
    fn few_dead_rows_change_nothing() {
        let mut floors = Floors::default();
        assert_eq!(floors.known(ms(0)), None, "nothing is known yet");
        assert!(floors.begin(ms(0)) && !floors.begin(ms(0)), "one looks at a time");
        floors.counted(DEAD_MIN - 1, ms(0));
        assert!(!floors.is_needed());
        floors.end(ms(0));
        assert_eq!(floors.known(ms(0)), None);
        assert!(!floors.begin(ms(9_999)) && floors.begin(ms(10_000)) && floors.is_count_due(ms(10_000)));
        floors.counted(DEAD_MIN, ms(10_000));
        assert!(floors.is_needed());
        assert_eq!(floors.known(ms(10_000)), None, "until everything was looked at");
        floors.found(lines(&[("mail", 7)]), ms(1), ms(10_001));
        floors.end(ms(10_001));
        assert_eq!(floors.known(ms(10_001)), Some(lines(&[("mail", 7)])));
        floors.counted(0, ms(20_000));
        assert_eq!(floors.known(ms(20_000)), None, "and when they are gone");
    }

    #[test]
    fn look_at_everything_costs_two_percent_and_comes_within_a_minute() {
        for (took, next) in [(0, 250), (5, 250), (20, 1_000), (100, 5_000), (1_200, 60_000), (60_000, 60_000)] {
            let mut floors = looked(&[], ms(took));
            assert!(!floors.begin(ms(took + next - 1)), "{took} ms");
            assert!(floors.begin(ms(took + next)), "{took} ms");
        }
        let mut floors = looked(&[], ms(1));
        floors.counted(DEAD_MIN, ms(9_000));
        assert!(
            !floors.is_count_due(ms(18_999)) && floors.is_count_due(ms(19_000)),
            "looks come more often than counts"
        );
    }

    #[test]
    fn look_that_fails_is_repeated_and_at_last_everything_is_looked_at_again() {
        let mut floors = looked(&[("mail", 7)], ms(20));
        assert!(floors.begin(ms(1_020)));
        floors.end(ms(1_020));
        assert!(!floors.begin(ms(11_019)) && floors.begin(ms(11_020)));
        assert!(floors.known(ms(13_020)).is_some());
        assert_eq!(floors.known(ms(13_021)), None, "nobody has looked since 20 ms, who was to within a second");
    }

    #[test]
    fn floor_is_the_lowest_place_of_late() {
        let mut floors = looked(&[("mail", 500)], ms(0));
        for (at, place) in [(0, 510), (1_000, 490), (2_000, 520), (4_999, 600), (5_000, 700), (9_999, 800)] {
            floors.saw("mail", place, ms(at));
        }
        let mut floor = |at| {
            floors.found(lines(&[]), ms(0), ms(at));
            floors.known(ms(at)).unwrap()
        };
        assert_eq!(floor(9_999), lines(&[("mail", 490)]));
        assert_eq!(floor(10_000), lines(&[("mail", 700)]), "what was seen once is forgotten");
        assert_eq!(floor(15_000), lines(&[("mail", 700)]), "but the last stays where nothing comes");
        assert_eq!(floor(900_000), lines(&[("mail", 700)]));
        floors.found(lines(&[("mail", 3), ("post#b", 9)]), ms(0), ms(900_001));
        assert_eq!(floors.known(ms(900_001)), Some(lines(&[("mail", 3), ("post#b", 9)])), "what waits below is found");
        floors.found(lines(&[]), ms(0), ms(900_002));
        assert_eq!(floors.known(ms(900_002)), Some(lines(&[("mail", 700)])));
    }

    #[test]
    fn what_is_known_is_bounded() {
        let mut floors = looked(&[], ms(0));
        for number in 0..IDLE_MAX as i64 + 9 {
            floors.saw(&number.to_string(), number, ms(1));
        }
        for at in [6_000, 12_000, 18_000] {
            floors.saw("mail", 1, ms(at));
        }
        floors.found(lines(&[]), ms(0), ms(18_000));
        assert_eq!(floors.known(ms(18_000)).unwrap().len(), IDLE_MAX + 1);
    }
}
