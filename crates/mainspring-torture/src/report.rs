//! What a test came to, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::check::Account;
use crate::client::Answers;
use crate::nemesis::Done;
use crate::{Options, Store};

/// Below this a test of so many minutes says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Minima {
    pub(crate) faults: u64,
    pub(crate) fires: u64,
    pub(crate) starts: u64,
}

impl Minima {
    /// For a test of so many minutes, up to what a whole one needs.
    pub(crate) fn of(minutes: u64, store: Store) -> Self {
        // A node that is alone is away for most of its faults.
        let faults = if store == Store::Sqlite { 3 } else { 4 };
        Self { faults: (faults * minutes).min(20), fires: (400 * minutes).min(1_000), starts: (40 * minutes).min(500) }
    }
}

/// What is said in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Everything holds.
    Green,
    /// Something does not.
    Failed,
    /// Nothing was found, and too little was tried.
    Void,
}

/// A test with its account.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Options,
    pub(crate) answers: Answers,
    pub(crate) faults: &'a [Done],
    pub(crate) account: &'a Account,
}

impl Report<'_> {
    pub(crate) fn verdict(&self) -> Verdict {
        let least = Minima::of(self.options.minutes, self.options.store);
        let enough = self.effective() >= least.faults
            && self.account.fired >= least.fires
            && self.account.starts >= least.starts;
        match (self.account.findings.is_empty(), enough) {
            (false, _) => Verdict::Failed,
            (true, false) => Verdict::Void,
            (true, true) => Verdict::Green,
        }
    }

    fn effective(&self) -> u64 {
        self.faults.iter().filter(|fault| fault.had_effect).count() as u64
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
            "minutes": self.options.minutes,
            "nodes": self.options.nodes,
            "verdict": format!("{:?}", self.verdict()).to_lowercase(),
            "faults": self.kinds(),
            "instants": account.instants,
            "fires": account.fired,
            "missed": account.missed,
            "suppressed": account.suppressed,
            "lost": self.count("I1"),
            "duplicated": self.count("I2"),
            "starts": account.starts,
            "lost_attempts": account.lost_attempts,
            "requests": {"ok": self.answers.ok, "refused": self.answers.refused, "unknown": self.answers.unknown},
            "lateness": serde_json::Map::from_iter(lateness),
            "takeover_ms": {"p50": median(&account.takeovers_ms), "max": account.takeovers_ms.last()},
            "blind": {"targets": account.blind.targets, "matched": account.blind.matched, "starts": account.blind.starts},
            "findings": findings.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn markdown(&self) -> String {
        let (account, options) = (self.account, self.options);
        let Options { store, seed, minutes, nodes, .. } = options;
        let mut text = format!("# Torture of {store}: {:?}\n\n", self.verdict()).to_string();
        let mut line = |line: String| text.push_str(&(line + "\n"));
        line(format!("Seed {seed}, {minutes} min, {nodes} nodes.\n"));
        line("| | |\n|---|---|".into());
        let kinds: Vec<String> = self.kinds().iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        line(format!("| faults with an effect | {}: {} |", self.effective(), kinds.join(", ")));
        line(format!("| instants that had to be recorded | {} |", account.instants));
        line(format!("| fired, missed, suppressed | {}, {}, {} |", account.fired, account.missed, account.suppressed));
        line(format!("| lost, duplicated | {}, {} |", self.count("I1"), self.count("I2")));
        line(format!("| starts witnessed, attempts lost | {}, {} |", account.starts, account.lost_attempts));
        let blind = account.blind;
        line(format!("| blind: instants, matched, starts | {}, {}, {} |", blind.targets, blind.matched, blind.starts));
        let Answers { ok, refused, unknown } = self.answers;
        line(format!("| requests: ok, refused, unknown | {ok}, {refused}, {unknown} |"));
        let takeovers = &account.takeovers_ms;
        let max = takeovers.last().map_or("–".to_owned(), ToString::to_string);
        let p50 = median(takeovers).map_or("–".to_owned(), |median| median.to_string());
        line(format!("| takeovers: count, p50, max in ms | {}, {p50}, {max} |", takeovers.len()));
        line("\n| fault around | runs | worst lateness in ms |\n|---|---|---|".into());
        for (class, late) in &account.lateness {
            line(format!("| {class} | {} | {} |", late.runs, late.worst_ms));
        }
        if self.verdict() == Verdict::Void {
            line(format!("\nToo little happened to say anything: {:?}.", Minima::of(*minutes, *store)));
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
        let options = Options { store: Store::Postgres, minutes: 30, seed: 1, nodes: 3, binary: None };
        let mut faults = vec![done(Kind::Kill, 0, 1); 20];
        let mut account =
            Account { fired: 1_000, starts: 500, takeovers_ms: vec![4_000, 5_000, 6_000], ..Account::default() };
        let verdict = |faults: &[Done], account: &Account| {
            let report = Report { options: &options, answers: Answers::default(), faults, account };
            (report.verdict(), report.json(), report.markdown())
        };
        let (green, json, text) = verdict(&faults, &account);
        assert_eq!(green, Verdict::Green);
        assert_eq!(json["takeover_ms"], json!({"p50": 5_000, "max": 6_000}));
        assert!(text.contains("20: 20 × node killed"), "{text}");
        for spoil in [|account: &mut Account| account.fired = 999, |account: &mut Account| account.starts = 499] {
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
