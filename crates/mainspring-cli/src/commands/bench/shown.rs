//! How far a benchmark has come: a bar on a terminal, else a line every five seconds.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::notes::note;
use crate::output::Progress;

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The progress of a measurement.
pub struct Shown {
    bar: Option<ProgressBar>,
    lines: bool,
    said_at: Mutex<Instant>,
}

impl Shown {
    pub fn new(progress: Progress) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            bar: (progress == Progress::Auto && terminal).then(bar),
            lines: progress == Progress::Plain || progress == Progress::Auto && !terminal,
            said_at: Mutex::new(Instant::now()),
        }
    }

    pub fn show(&self, what: &'static str, done: u64, all: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(what);
            bar.set_length(all.max(done));
            bar.set_position(done);
        }
        let mut said_at = self.said_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if self.lines && said_at.elapsed() >= LINE_EVERY {
            note(format_args!("{what}: {done} of {all}"));
            *said_at = Instant::now();
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>8} {bar:40} {human_pos}/{human_len}  {per_sec}  {elapsed}")
        .expect("the template is a constant that a test has shown");
    ProgressBar::new(0).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_of_the_bar_is_valid() {
        bar().finish_and_clear();
    }
}
