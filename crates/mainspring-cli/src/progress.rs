//! Progress of long work, on stderr: a line that moves on a terminal, else a line every five seconds.

use std::future::Future;
use std::io::IsTerminal;
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::{Instant, interval, interval_at};

use crate::error::Result;
use crate::notes::note;
use crate::output::{Output, Progress};

/// How often something that is counted is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
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

/// Looks again and again how far something is, and shows it: `backfill 7 of etl  ███░░  12/31  1 failed  3s`. Answers whether it is over;
/// false at the deadline.
///
/// # Errors
/// Whatever `look` reports. It answers how many of `total` are done, what else to say, and whether that is all.
pub async fn counted(
    output: &Output,
    message: &str,
    total: u64,
    deadline: Option<Instant>,
    mut look: impl AsyncFnMut() -> Result<(u64, String, bool)>,
) -> Result<bool> {
    let progress = output.progress();
    let shown = (progress == Progress::Auto && std::io::stderr().is_terminal()).then(|| bar(message.to_owned(), total));
    let (mut ticks, mut said) = (interval(LOOK_EVERY), Instant::now());
    loop {
        ticks.tick().await;
        let (done, more, is_over) = look().await?;
        match &shown {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(more);
            }
            None if progress != Progress::None && said.elapsed() >= LINE_EVERY => {
                said = Instant::now();
                note(format_args!("{message}  {done}/{total}  {more}"));
            }
            None => {}
        }
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || is_late {
            shown.iter().for_each(ProgressBar::finish_and_clear);
            return Ok(is_over);
        }
    }
}

fn bar(what: String, total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix}  {bar:30}  {pos}/{len}  {msg}  {elapsed}")
        .expect("the template is a constant that a test has shown");
    ProgressBar::new(total).with_style(style).with_prefix(what)
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
        super::bar("backfill".to_owned(), 9).finish_and_clear();
    }
}
