//! What the steps of a schema have in common on database servers: they stand in nobody's way for long.

use super::db::{Fault, Step};
use super::lane::Server;

/// How often something is tried that others are in the way of. Each try waits for a lock for two seconds.
const TRIES: u32 = 240;

/// The statements of a text, without its comments. Each ends at the end of a line.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()).map(str::to_owned).collect()
}

/// Does `work`, again and again while others are in its way. Whoever waits for a table's lock makes all wait who come after,
/// so each try gives up soon, and `pause` lets them through before the next.
pub(crate) fn patiently<C: Server, T>(
    db: &C,
    pause: impl Fn(&C) -> Step<()>,
    mut work: impl FnMut() -> Step<T>,
) -> Step<T> {
    let mut tries = 1;
    loop {
        match work() {
            Err(fault) if tries < TRIES && C::is_passing(&fault) => wait(db, &pause, tries)?,
            done => return done,
        }
        tries += 1;
    }
}

fn wait<C: Server>(db: &C, pause: &impl Fn(&C) -> Step<()>, tries: u32) -> Result<(), Fault> {
    if tries == 1 {
        tracing::warn!("the schema cannot be changed while others work on its tables; trying again");
    }
    db.roll_back()?;
    pause(db)?;
    db.commit()
}
