//! Looks at runs again and again while everything is broken, as a user does: what was final once has to stay as it was.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use mainspring_api::RunFilter;
use mainspring_core::RunId;
use mainspring_core::run::RunState;
use mainspring_rig::{Run, now};
use mainspring_sim::Random;
use mainspring_sim::history::Seen;

use crate::client::{Desk, NAMESPACE};

/// The time between looks, and the number of newest runs per look.
const EVERY_MS: u64 = 1_000;
const NEWEST: u32 = 500;

/// The last seen states of runs that have been final.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(BTreeMap<RunId, RunState>);

impl Verdicts {
    /// Returns what to record: a first verdict, or one that differs from it.
    pub(crate) fn look(&mut self, at: i64, run: RunId, state: RunState) -> Option<Seen> {
        let news = match self.0.get(&run) {
            Some(known) => *known != state,
            None => state.is_final(),
        };
        if news {
            self.0.insert(run, state);
        }
        news.then_some(Seen { at, run, state, taken_back: false })
    }
}

/// Returns the final states of the runs that were seen.
pub(crate) fn at_the_end(seen: &[Seen], runs: &[Run], at: i64) -> Vec<Seen> {
    let states: BTreeMap<RunId, RunState> = runs.iter().map(|run| (run.id, run.state)).collect();
    let again = |seen: &Seen| Some(Seen { at, state: *states.get(&seen.run)?, ..*seen });
    seen.iter().filter_map(again).collect()
}

impl Desk {
    /// Looks through any node until the test ends. A node that does not answer shows nothing.
    pub(crate) async fn look(mut self, mut random: Random) -> Result<()> {
        let mut verdicts = Verdicts::default();
        while self.goes_on_after(EVERY_MS).await {
            let filter = RunFilter { limit: Some(NEWEST), ..RunFilter::default() };
            let Ok(page) = self.clients.any(&mut random).runs(NAMESPACE, &filter).await else { continue };
            let at = now()?.as_millis();
            for run in page.items {
                let id: RunId = run.id.parse().with_context(|| format!("reading the run id {}", run.id))?;
                let seen = state(run.state).and_then(|state| verdicts.look(at, id, state));
                self.note(|record| record.seen.extend(seen));
            }
        }
        Ok(())
    }
}

/// Returns a state as the nodes tell it; nothing for one that is newer than this.
fn state(told: mainspring_api::RunState) -> Option<RunState> {
    told.known()
}

#[cfg(test)]
mod tests {
    use mainspring_core::{RunSource, Timestamp, TriggerId};

    use super::*;

    #[test]
    fn verdicts_are_written_down_once_and_whatever_becomes_of_them() {
        let run = RunId::new(Timestamp::from_millis(1), RunSource::Fire(TriggerId(1)));
        let mut verdicts = Verdicts::default();
        let mut look = |state| verdicts.look(7, run, state).is_some();
        let looks = [RunState::Running, RunState::Failed, RunState::Failed, RunState::Running, RunState::Succeeded];
        assert_eq!(looks.map(&mut look), [false, true, false, true, true]);
        for told in ["waiting", "held", "scheduled", "queued", "running", "succeeded", "failed", "cancelled", "skipped"]
        {
            let told: mainspring_api::RunState = serde_json::from_value(told.into()).unwrap();
            assert!(state(told).is_some(), "{told:?}");
        }
    }
}
