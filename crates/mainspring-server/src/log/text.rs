//! A whole log as text.

use std::io;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::place::Log;
use crate::app::App;

/// Makes a body that is read from the store as it is sent: one line after the other, each with its end. Parts of a line that was
/// too long for one follow each other without.
pub(crate) fn download(app: App, log: Log) -> Body {
    let begin = Some((app, log));
    Body::from_stream(stream::unfold(begin, |state| async {
        let (app, mut log) = state?;
        match log.read_raw(app.control(), usize::MAX).await {
            Ok((_, _, lines)) if lines.is_empty() => None,
            Ok((_, _, lines)) => {
                let mut text = String::with_capacity(lines.iter().map(|(_, line)| line.text.len() + 1).sum());
                for (_, line) in lines {
                    text.push_str(&line.text);
                    if !line.partial {
                        text.push('\n');
                    }
                }
                Some((Ok(Bytes::from(text)), Some((app, log))))
            }
            // What was sent cannot be taken back; the transfer breaks off, so that nobody takes it for the whole.
            Err(refusal) => Some((Err(io::Error::other(refusal.0.detail)), None)),
        }
    }))
}
