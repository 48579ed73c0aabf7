//! Progress of long work, on stderr: a line that moves on a terminal, else a line every five seconds.

use std::future::Future;
use std::io::IsTerminal;
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::{Instant, interval_at};

use crate::output::{Output, Progress, note};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Awaits `work`, and meanwhile shows that it goes on: `waiting for run …  3s`.
pub async fn during<T>(output: &Output, message: &str, work: impl Future<Output = T>) -> T {
    match output.progress() {
        Progress::None => work.await,
        Progress::Auto if std::io::stderr().is_terminal() => {
            let bar = spinner(message.to_owned());
            let result = work.await;
            bar.finish_and_clear();
            result
        }
        Progress::Auto | Progress::Plain => with_lines(message, work).await,
    }
}

async fn with_lines<T>(message: &str, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let mut ticks = interval_at(started + LINE_EVERY, LINE_EVERY);
    let mut work = pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            _ = ticks.tick() => note(format_args!("{message}  {}s", started.elapsed().as_secs())),
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
