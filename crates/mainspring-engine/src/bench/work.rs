//! What the database did, as its server counts it.

use mainspring_store::Work;
use serde::Serialize;

use super::{Error, Pace, Result};
use crate::clock::{Clock, SystemClock};

/// How long sessions may take to end.
const PATIENCE_MS: i64 = 10_000;

/// What the database did for each fire.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PerFire {
    /// Committed transactions.
    pub commits_per_fire: f64,
    /// Executed statements, those that begin and commit transactions included.
    pub statements_per_fire: f64,
}

impl PerFire {
    pub(super) fn between(before: Work, after: Work, fires: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let per_fire = |before: u64, after: u64| {
            let each = after.saturating_sub(before) as f64 / fires.max(1) as f64;
            (each * 100_000.0).round() / 100_000.0
        };
        Self {
            commits_per_fire: per_fire(before.commits, after.commits),
            statements_per_fire: per_fire(before.statements, after.statements),
        }
    }
}

/// Reads the counters when nobody else is connected: a session adds what it has done at its end.
pub(super) async fn look(address: &str) -> Result<Work> {
    if !address.starts_with("postgres") {
        return Err(Error::Uncounted("only PostgreSQL counts them".to_owned()));
    }
    let mut pace = Pace::new();
    let limit = SystemClock.now() + PATIENCE_MS;
    loop {
        let address = address.to_owned();
        let read = tokio::task::spawn_blocking(move || mainspring_store::work(&address)).await;
        let work = read.expect("reading counters does not panic");
        let work = work.map_err(|error| Error::Uncounted(error.to_string()))?;
        if work.sessions == 0 {
            return Ok(work);
        }
        if SystemClock.now() > limit {
            return Err(Error::Uncounted(format!("{} other sessions use the database", work.sessions)));
        }
        pace.next_look().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_shared_out_among_the_fires() {
        let work = |commits, statements| Work { commits, statements, sessions: 0 };
        let each = PerFire::between(work(10, 100), work(20, 400), 1_000);
        assert_eq!(each, PerFire { commits_per_fire: 0.01, statements_per_fire: 0.3 });
        assert_eq!(PerFire::between(work(1, 1), work(1, 1), 0).commits_per_fire, 0.0);
    }
}
