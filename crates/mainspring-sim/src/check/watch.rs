//! The invariants of safety, asked as things happen: I2–I4, I6–I10 and I14; and of I11 what nodes have passed over.

use super::records::{self, Duplicates, Early, Fences};
use super::runs::{Attempts, Finality, Overlaps, Work};
use super::timeline::Timelines;
use super::{Findings, Violation};
use crate::history::{History, Time};

/// How many rows of each kind there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Rows {
    fires: usize,
    gaps: usize,
    claims: usize,
    verdicts: usize,
    witnesses: usize,
    seen: usize,
    corrections: usize,
    failovers: usize,
}

impl Rows {
    const fn of(history: &History) -> Self {
        Self {
            fires: history.fires.len(),
            gaps: history.gaps.len(),
            claims: history.claims.len(),
            verdicts: history.verdicts.len(),
            witnesses: history.witnesses.len(),
            seen: history.seen.len(),
            corrections: history.corrections.len(),
            failovers: history.failovers.len(),
        }
    }
}

/// Looks at each row of a history once, when it has been written down.
#[derive(Debug, Default)]
pub struct Watch {
    looked_at: Rows,
    timelines: Timelines,
    duplicates: Duplicates,
    early: Early,
    fences: Fences,
    attempts: Attempts,
    work: Work,
    overlaps: Overlaps,
    finality: Finality,
}

impl Watch {
    /// What breaks an invariant, of all that has happened since it looked last. To be asked after every event.
    pub fn look(&mut self, history: &History, now: Time) -> Vec<Violation> {
        let rows = Rows::of(history);
        if rows == self.looked_at && self.overlaps.is_empty() {
            return Vec::new();
        }
        let failed_over = rows.failovers > self.looked_at.failovers;
        if failed_over {
            // Rows are gone. What is left was looked at before.
            *self = Self::default();
        }
        let mut findings = Findings::of("");
        self.timelines.take_in(history);
        self.look_at_records(history, &mut findings);
        self.look_at_runs(history, &mut findings);
        self.overlaps.look(history, now, findings.about("I9"));
        self.looked_at = rows;
        if failed_over { Vec::new() } else { findings.found }
    }

    fn look_at_records(&mut self, history: &History, findings: &mut Findings) {
        for fire in &history.fires[self.looked_at.fires..] {
            self.duplicates.fired(history, &self.timelines, fire, findings.about("I2"));
            self.early.fired(fire, findings.about("I4"));
            self.fences.fired(history, fire, findings.about("I6"));
            records::rested(history, &self.timelines, fire, findings.about("I14"));
        }
        history.gaps[self.looked_at.gaps..].iter().for_each(|row| records::missed(history, row, findings.about("I3")));
        let corrections = &history.corrections[self.looked_at.corrections..];
        corrections.iter().for_each(|row| records::passed_over(history, row, findings.about("I11")));
    }

    fn look_at_runs(&mut self, history: &History, findings: &mut Findings) {
        let mut claims = history.claims[self.looked_at.claims..].iter().peekable();
        let verdicts = &history.verdicts[self.looked_at.verdicts..];
        for verdict in verdicts {
            while let Some(claim) = claims.next_if(|claim| claim.order < verdict.order) {
                self.work.claimed(claim);
                self.attempts.claimed(history, claim, findings.about("I7"));
            }
            self.attempts.ended(verdict, findings.about("I7"));
        }
        for claim in claims {
            self.work.claimed(claim);
            self.attempts.claimed(history, claim, findings.about("I7"));
        }
        for index in self.looked_at.witnesses..history.witnesses.len() {
            let witness = &history.witnesses[index];
            self.attempts.began(history, witness);
            self.early.began(history, witness, findings.about("I4"));
            self.work.began(history, index, findings.about("I8"));
            self.overlaps.began(history, index);
        }
        verdicts.iter().for_each(|verdict| self.work.ended(history, verdict, findings.about("I8")));
        history.seen[self.looked_at.seen..].iter().for_each(|seen| self.finality.seen(seen, findings.about("I10")));
    }
}
