//! Recorded exchanges of XXL-JOB's executors, and the answers of its routes: the same replay as in the crate's tests.

#[path = "../../../crates/mainspring-xxl/tests/it/recorder.rs"]
#[expect(dead_code, reason = "the crate's tests have more to do with it")]
mod recorder;
#[path = "../../../crates/mainspring-xxl/tests/it/replay.rs"]
mod replay;
mod route;

use mainspring_xxl::{Client, ClientLimits};
use serde_json::Value;
use tokio::runtime::Runtime;

use self::recorder::Recorder;
use self::replay::{Differs, Exchange};
use super::Difference;

/// What replaying needs: a client, and a port that answers it as executors did.
pub struct Replay {
    runtime: Runtime,
    client: Client,
    recorder: Recorder,
}

impl Replay {
    pub fn start() -> anyhow::Result<Self> {
        let limits = ClientLimits { answer_ms: 60_000, ..ClientLimits::default() };
        Ok(Self { runtime: Runtime::new()?, client: Client::new(limits)?, recorder: Recorder::start()? })
    }

    /// Compares a line of a folder of XXL-JOB's: an exchange, or the answers of a route.
    pub fn check(&self, line: &Value) -> anyhow::Result<Result<(), Difference>> {
        if line.get("route").is_some() {
            return route::check(line);
        }
        let exchange = Exchange::of(line)?;
        let replayed = if exchange.is_from_executor() {
            exchange.replay_call()
        } else {
            let asked = exchange.replay_question(&self.client, &self.recorder);
            exchange.replay_answer().and_then(|()| self.runtime.block_on(asked))
        };
        let question = |what: &str| format!("{what} of {} ({}; {})", exchange.path, exchange.scenario, exchange.note);
        Ok(replayed.map_err(|Differs { what, ours, theirs }| Difference { question: question(&what), ours, theirs }))
    }
}

/// Tells whether a line is one of these. Descriptions of tables are none: there is nothing to ask about them.
pub fn is_replayed(line: &Value) -> bool {
    line.get("direction").is_some() || line.get("route").is_some()
}
