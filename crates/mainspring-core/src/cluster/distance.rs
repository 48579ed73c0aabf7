//! Is this node far from the database? Judged by how long answers to its renewals take, beside those of the other nodes.
//!
//! A batch of fires asks several questions one after the other, so a node that waits a second for each answer fires late. It leaves
//! its shards to nodes that are nearer. Where nobody is, because the database is slow for all, everybody keeps what he has.

use super::Settings;

/// So many answers in a row say where a node is.
const KNOWN: usize = 3;
/// So many in a row make it leave. By then others that became as slow in the same moment say so: one renewal until they begin to
/// notice, [`KNOWN`] answers, and one renewal until they tell. One that became slower still may say so later; until then it is
/// taken for near, and the node comes back when it has heard of it.
const PATIENT: usize = KNOWN + 3;
/// So many times nearer another node has to be for it to leave; half of that keeps it away, so that shards do not move to and fro
/// with the load that they bring.
const NEARER: u64 = 4;

/// What a node thinks of its way to the database.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    /// How long the last answers took, the latest first.
    answers: [Option<u64>; PATIENT],
    /// Whether the node has given its shards up.
    pub left: bool,
}

impl Distance {
    /// Takes in how long an answer took. `nearest_ms` is what the nearest of those says of itself who would have the shards.
    pub(super) fn judge(&mut self, settings: &Settings, took_ms: u64, nearest_ms: Option<u64>) {
        self.answers.rotate_right(1);
        self.answers[0] = Some(took_ms);
        let all = |answers: &[Option<u64>], is: &dyn Fn(u64) -> bool| answers.iter().all(|took| took.is_some_and(is));
        let last = &self.answers[..KNOWN];
        let left = match (self.left, nearest_ms) {
            (_, None) => false,
            (false, Some(nearest)) => all(&self.answers, &|ms| ms >= settings.far_ms.max(NEARER * nearest)),
            (true, Some(nearest)) => {
                !all(last, &|ms| 2 * ms < settings.far_ms) && !all(last, &|ms| 2 * ms < NEARER * nearest)
            }
        };
        if self.left && !left {
            // Where it is then, with its shards, is for new answers to say.
            self.lost();
        }
        self.left = left;
    }

    /// Nobody knows where the node is until new answers say so.
    pub(super) fn lost(&mut self) {
        self.answers = [None; PATIENT];
    }

    /// The shortest of the last answers, which is what the node's row says. Nothing before there were so many.
    pub(super) fn least_ms(&self) -> Option<u64> {
        self.answers[..KNOWN].iter().copied().min().flatten()
    }
}
