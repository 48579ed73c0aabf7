//! The report of a test, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::check::Account;
use crate::client::Answers;
use crate::nemesis::Done;
use crate::{Options, Store};

/// Below this a test says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Minima {
    pub(crate) faults: u64,
    pub(crate) fires: u64,
    pub(crate) starts: u64,
}

impl Minima {
    /// Returns the minimum counts for a test of so many seconds, up to those of a full one.
    pub(crate) fn of(options: &Options) -> Self {
        let seconds = options.seconds;
        let faults = match options.store {
            // They last longer, and it is quiet for longer between them.
            _ if options.is_whole() => 1,
            // A node that is alone is away for most of its faults.
            Store::Sqlite => 3,
            Store::Postgres | Store::Mariadb => 4,
        };
        let of = |a_minute: u64, whole: u64| (a_minute * seconds / 60).min(whole);
        Self { faults: of(faults, 20), fires: of(400, 1_000), starts: of(40, 500) }
    }
}

/// The verdict of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Everything holds.
    Green,
    /// Something does not.
    Failed,
    /// Nothing was found, but too little happened.
    Void,
}

/// A test with its account.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Options,
    pub(crate) answers: Answers,
    pub(crate) faults: &'a [Done],
    /// The number of planned faults; it may have been too late for the last of them.
    pub(crate) planned: usize,
    pub(crate) account: &'a Account,
}

impl Report<'_> {
    pub(crate) fn verdict(&self) -> Verdict {
        let least = Minima::of(self.options);
        let enough = self.effective() >= least.faults
            && self.account.fired >= least.fires
            && self.account.starts >= least.starts
            && self.account.looked > 0
            && self.account.by_workers > 0
            && (self.account.advances > 0 || self.options.store == Store::Sqlite);
        match (self.account.findings.is_empty(), enough) {
            (false, _) => Verdict::Failed,
            (true, false) => Verdict::Void,
            (true, true) => Verdict::Green,
        }
    }

    fn effective(&self) -> u64 {
        self.faults.iter().filter(|fault| fault.had_effect).count() as u64
    }

    fn left_out(&self) -> usize {
        self.planned.saturating_sub(self.faults.len())
    }

    fn kinds(&self) -> BTreeMap<String, u64> {
        let mut kinds = BTreeMap::new();
        for fault in self.faults.iter().filter(|fault| fault.had_effect) {
            *kinds.entry(fault.kind.to_string()).or_default() += 1;
        }
        kinds
    }

    fn count(&self, invariant: &str) -> usize {
        self.account.findings.iter().filter(|finding| finding.invariant == invariant).count()
    }

    pub(crate) fn json(&self) -> Value {
        let account = self.account;
        let lateness = account
            .lateness
            .iter()
            .map(|(class, late)| (class.clone(), json!({"runs": late.runs, "worst_ms": late.worst_ms})));
        let findings = account.findings.iter().map(|found| json!({"invariant": found.invariant, "what": found.what}));
        json!({
            "store": self.options.store.to_string(),
            "seed": self.options.seed,
            "seconds": self.options.seconds,
            "slack_ms": self.options.slack_ms,
            "untimed": self.options.untimed,
            "before": self.options.before,
            "nodes": self.options.nodes,
            "menu": self.options.named().unwrap_or_default(),
            "verdict": format!("{:?}", self.verdict()).to_lowercase(),
            "faults": self.kinds(),
            "left_out": self.left_out(),
            "instants": account.instants,
            "fires": account.fired,
            "missed": account.missed,
            "suppressed": account.suppressed,
            "lost": self.count("I1"),
            "duplicated": self.count("I2"),
            "starts": account.starts,
            "lost_attempts": account.lost_attempts,
            "by_workers": account.by_workers,
            "looked": account.looked,
            "saw": {"owners": account.owners, "advances": account.advances},
            "requests": {"ok": self.answers.ok, "refused": self.answers.refused, "unknown": self.answers.unknown},
            "lateness": serde_json::Map::from_iter(lateness),
            "takeover_ms": {"p50": median(&account.takeovers_ms), "max": account.takeovers_ms.last()},
            "recovery_ms": {"p50": median(&account.recoveries_ms), "max": account.recoveries_ms.last()},
            "blind": {"targets": account.blind.targets, "matched": account.blind.matched, "starts": account.blind.starts},
            "findings": findings.collect::<Vec<_>>(),
        })
    }

    /// Returns all of it in a line, for readers who only want to know that all is well.
    pub(crate) fn line(&self) -> String {
        let (account, Options { store, seed, seconds, .. }) = (self.account, self.options);
        let max = account.takeovers_ms.last().map_or("–".to_owned(), ToString::to_string);
        let [faults, fired, starts] = [self.effective(), account.fired, account.starts];
        format!(
            "{store}: {:?}, seed {seed}, {seconds} s: {faults} faults ({} left out), {fired} fires, {starts} starts, {} lost, {} duplicated, {max} ms to take over",
            self.verdict(),
            self.left_out(),
            self.count("I1"),
            self.count("I2"),
        )
    }

    pub(crate) fn markdown(&self) -> String {
        let (account, options) = (self.account, self.options);
        let Options { store, seed, seconds, nodes, slack_ms, .. } = options;
        let untimed = if options.untimed { ", untimed" } else { "" };
        let before =
            options.before.as_ref().map_or(String::new(), |before| format!(" Begun with {}.", before.display()));
        let menu = options.named().map_or(String::new(), |named| format!(" Of all faults: {}.", named.join(", ")));
        let mut text = format!("# Torture of {store}: {:?}\n\n", self.verdict()).to_string();
        let mut line = |line: String| text.push_str(&(line + "\n"));
        line(format!("Seed {seed}, {seconds} s, {nodes} nodes, {slack_ms} ms of slack{untimed}.{menu}{before}\n"));
        line("| | |\n|---|---|".into());
        let kinds: Vec<String> = self.kinds().iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        line(format!("| faults with an effect | {}: {} |", self.effective(), kinds.join(", ")));
        line(format!("| faults planned, left out since it was too late | {}, {} |", self.planned, self.left_out()));
        line(format!("| instants that had to be recorded | {} |", account.instants));
        line(format!("| fired, missed, suppressed | {}, {}, {} |", account.fired, account.missed, account.suppressed));
        line(format!("| lost, duplicated | {}, {} |", self.count("I1"), self.count("I2")));
        line(format!("| starts witnessed, attempts lost | {}, {} |", account.starts, account.lost_attempts));
        let blind = account.blind;
        line(format!("| blind: instants, matched, starts | {}, {}, {} |", blind.targets, blind.matched, blind.starts));
        let Answers { ok, refused, unknown } = self.answers;
        line(format!("| requests: ok, refused, unknown | {ok}, {refused}, {unknown} |"));
        line(format!("| runs that workers have done | {} |", account.by_workers));
        line(format!("| verdicts looked at twice | {} |", account.looked));
        line(format!("| the database saw: changes of owners, advances | {}, {} |", account.owners, account.advances));
        for (what, times) in [("a node gone", &account.takeovers_ms), ("the database back", &account.recoveries_ms)] {
            let [p50, max] = [median(times), times.last().copied()]
                .map(|time| time.map_or("–".to_owned(), |time| time.to_string()));
            line(format!("| {what} to the first fire: count, p50, max in ms | {}, {p50}, {max} |", times.len()));
        }
        line("\n| fault around | runs | worst lateness in ms |\n|---|---|---|".into());
        for (class, late) in &account.lateness {
            line(format!("| {class} | {} | {} |", late.runs, late.worst_ms));
        }
        if self.verdict() == Verdict::Void {
            line(format!("\nToo little happened to say anything: {:?}.", Minima::of(options)));
        }
        if !account.findings.is_empty() {
            line(format!("\nWhat does not hold ({}):\n", account.findings.len()));
        }
        for finding in account.findings.iter().take(SHOWN) {
            let _infallible = writeln!(text, "- {}: {}", finding.invariant, finding.what);
        }
        text
    }
}

/// Findings that people are shown; the others are in the JSON.
const SHOWN: usize = 40;

fn median(sorted: &[i64]) -> Option<i64> {
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Finding;
    use crate::check::excuse::done;
    use crate::plan::Kind;

    #[test]
    fn test_with_too_little_in_it_is_void_and_one_that_found_something_has_failed() {
        let (store, slack_ms) = (Store::Postgres, 1_000);
        let (untimed, brief) = (false, true);
        let seconds = 1_800;
        let options = Options {
            store,
            seconds,
            seed: 1,
            nodes: 3,
            slack_ms,
            untimed,
            brief,
            faults: None,
            before: None,
            binary: None,
        };
        let mut faults = vec![done(Kind::Kill, 0, 1); 20];
        let takeovers_ms = vec![4_000, 5_000, 6_000];
        let (fired, starts, advances, looked, by_workers) = (1_000, 500, 1, 1, 1);
        let mut account = Account { fired, starts, advances, looked, by_workers, takeovers_ms, ..Account::default() };
        let verdict = |faults: &[Done], account: &Account| {
            let report = Report { options: &options, answers: Answers::default(), faults, planned: 21, account };
            (report.verdict(), report.json(), report.markdown() + &report.line())
        };
        let least = |seconds| Minima::of(&Options { seconds, ..options.clone() }).faults;
        assert_eq!([60, 90, 299, 300, 600, 1_800].map(least), [4, 6, 19, 5, 10, 20]);
        let (green, json, text) = verdict(&faults, &account);
        assert_eq!(green, Verdict::Green);
        assert!(
            text.ends_with(
                "20 faults (1 left out), 1000 fires, 500 starts, 0 lost, 0 duplicated, 6000 ms to take over"
            ),
            "{text}"
        );
        assert_eq!(json["takeover_ms"], json!({"p50": 5_000, "max": 6_000}));
        assert!(text.contains("20: 20 × node killed"), "{text}");
        let spoils: [fn(&mut Account); 5] = [
            |account| account.fired = 999,
            |account| account.starts = 499,
            |account| account.advances = 0,
            |account| account.looked = 0,
            |account| account.by_workers = 0,
        ];
        for spoil in spoils {
            let mut less = account.clone();
            spoil(&mut less);
            assert_eq!(verdict(&faults, &less).0, Verdict::Void);
        }
        faults[0].had_effect = false;
        assert_eq!(verdict(&faults, &account).0, Verdict::Void);
        account.findings.push(Finding { invariant: "I1", what: "an instant is gone".into() });
        let (failed, json, text) = verdict(&faults, &account);
        assert_eq!((failed, &json["lost"]), (Verdict::Failed, &json!(1)));
        assert!(text.contains("- I1: an instant is gone"), "{text}");
    }
}
