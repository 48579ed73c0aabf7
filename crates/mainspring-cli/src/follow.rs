//! Following the log of a run until it ends.
//!
//! Asks for the lines after the last one it has, so that a broken connection or a server that
//! restarts loses nothing and repeats nothing.

use std::fmt;
use std::time::Duration;

use mainspring_api::client::LogItem;
use mainspring_api::{LogFilter, LogLine, LogStream, Run};
use tokio::time::Instant;

use crate::connect::Session;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Form, Output};

/// Pause before a broken connection is made again.
const PAUSE: Duration = Duration::from_millis(500);

/// How long a server may be away before following ends.
const OUTAGE_LIMIT: Duration = Duration::from_secs(30);

/// What stands before each line.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineStyle {
    /// Time, attempt and stream.
    pub timestamps: bool,
    /// Control sequences reach a terminal.
    pub raw: bool,
}

/// Calls `each` for the lines that `filter` asks for and all further ones, and returns the final run.
///
/// # Errors
/// Whatever the server or `each` reports; an unreachable server only after 30 s.
pub async fn follow(
    session: &Session,
    id: &str,
    mut filter: LogFilter,
    mut each: impl FnMut(&LogLine) -> Result,
) -> Result<Run> {
    let mut heard_at = Instant::now();
    loop {
        match stretch(session, id, &mut filter, &mut heard_at, &mut each).await {
            Ok(Some(run)) => return Ok(run),
            Ok(None) => {}
            Err(error) if error.exit == Exit::Unreachable && heard_at.elapsed() < OUTAGE_LIMIT => {}
            Err(error) => return Err(error),
        }
        pause().await;
    }
}

/// Follows over one connection, and moves `filter` behind the last line; `None` when the server ended it.
async fn stretch(
    session: &Session,
    id: &str,
    filter: &mut LogFilter,
    heard_at: &mut Instant,
    each: &mut impl FnMut(&LogLine) -> Result,
) -> Result<Option<Run>> {
    let mut stream = session.ask(session.client.follow_log(id, filter)).await?;
    loop {
        let item = session.ask(stream.next()).await?;
        *heard_at = Instant::now();
        match item {
            Some(LogItem::Line(line)) => {
                each(&line)?;
                (filter.from_line, filter.tail) = (Some(line.line + 1), None);
            }
            Some(LogItem::End(run)) => return Ok(Some(*run)),
            None => return Ok(None),
        }
    }
}

/// Waits for half a second.
#[expect(clippy::disallowed_methods, reason = "a pause between two connections; nothing is decided by it")]
pub async fn pause() {
    tokio::time::sleep(PAUSE).await;
}

/// Prints one line: its text, or a JSON document for `-o json` and `-o jsonl`.
///
/// # Errors
/// Fails when stdout cannot be written.
pub fn line(line: &LogLine, style: LineStyle, output: &Output) -> Result {
    if matches!(output.form(), Form::Json | Form::Jsonl) {
        return output.document_as(Form::Jsonl, line);
    }
    let mark = if line.truncated { " […]" } else { "" };
    let print = |text: fmt::Arguments<'_>| if style.raw { output.raw_line(text) } else { output.line(text) };
    // Colours that a line leaves on would go on in the next.
    let end = if !style.raw && line.text.contains('\x1b') { "\x1b[0m" } else { "" };
    if !style.timestamps {
        return print(format_args!("{}{end}{mark}", line.text));
    }
    let stream = match line.stream {
        LogStream::Stdout => "out",
        LogStream::Stderr => "\x1b[33merr\x1b[0m",
        LogStream::System | LogStream::Unknown => "\x1b[36msys\x1b[0m",
    };
    print(format_args!("{} {} {stream} {}{end}{mark}", output.style().at(Some(line.at)), line.attempt, line.text))
}
