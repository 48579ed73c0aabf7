//! Progress of long work, on stderr: a bar on a terminal, else a line every five seconds.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{Output, Progress, note};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows that something goes on. Vanishes when it is dropped.
pub enum Activity {
    /// A line that moves.
    Bar(ProgressBar),
    /// A line now and then.
    Lines {
        /// When the last one was written.
        written_at: Instant,
    },
    /// Nothing.
    None,
}

impl Activity {
    /// Begins with `message`, such as `waiting for run …`.
    pub fn start(output: &Output, message: String) -> Self {
        match output.progress() {
            Progress::None => Self::None,
            Progress::Auto if std::io::stderr().is_terminal() => Self::Bar(spinner(message)),
            Progress::Auto | Progress::Plain => Self::Lines {
                written_at: Instant::now(),
            },
        }
    }

    /// Says how it stands now.
    pub fn update(&mut self, message: impl Fn() -> String) {
        match self {
            Self::Bar(bar) => bar.set_message(message()),
            Self::Lines { written_at } if written_at.elapsed() >= LINE_EVERY => {
                *written_at = Instant::now();
                note(message());
            }
            Self::Lines { .. } | Self::None => {}
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn spinner(message: String) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed}")
        .expect("the template is a constant that a test has shown");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.set_message(message);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_template_of_the_bar_is_valid() {
        super::spinner("waiting".to_owned()).finish_and_clear();
    }
}
