//! The trace of a seed: a hash of every event, and its text where somebody wants to read it.

use std::fmt;

/// How many lines are kept for reading.
const KEPT: usize = 400_000;

#[derive(Debug, Default)]
pub(crate) struct Trace {
    hash: u64,
    pub(crate) events: u64,
    lines: Option<Vec<String>>,
    tell: Option<fn(&str)>,
}

impl Trace {
    pub(crate) fn new(reads: bool, tell: Option<fn(&str)>) -> Self {
        Self { hash: 0xcbf2_9ce4_8422_2325, events: 0, lines: reads.then(Vec::new), tell }
    }

    /// Takes in an event: when, and what tells it from others.
    pub(crate) const fn event(&mut self, at: u64, what: u64) {
        self.events += 1;
        self.mix(at);
        self.mix(what);
    }

    pub(crate) const fn mix(&mut self, number: u64) {
        self.hash = (self.hash.rotate_left(23) ^ number).wrapping_mul(0x0001_0000_01b3_9e37);
    }

    /// Writes a line, if somebody reads.
    pub(crate) fn line(&mut self, at: u64, text: impl FnOnce() -> String) {
        if self.lines.is_none() && self.tell.is_none() {
            return;
        }
        let line = format!("{:>12.3} {}", Millis(at), text());
        self.tell.iter().for_each(|tell| tell(&line));
        self.lines.iter_mut().filter(|lines| lines.len() < KEPT).for_each(|lines| lines.push(line.clone()));
    }

    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn take_lines(&mut self) -> Vec<String> {
        self.lines.take().unwrap_or_default()
    }
}

struct Millis(u64);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}
