//! Copies a process's pipes into its log.

use std::future::Future;
use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep, sleep_until};

use crate::log::capture::{LineCutter, Recorder};
use crate::log::line::Stream;

const BUFFER_BYTES: usize = 16 * 1024;
/// The time to read on when the tree is gone and another process holds a pipe open.
const FOREIGN_HOLDER: Duration = Duration::from_millis(250);
/// The longest time to read on when such processes print all the time.
const CHATTY_HOLDER: Duration = Duration::from_secs(1);

/// The reading ends of standard output and error.
pub(crate) struct Pipes {
    out: Source,
    err: Source,
}

impl Pipes {
    /// Makes both pipes; the writing ends go to the process.
    pub(crate) fn open() -> io::Result<(Self, PipeWriter, PipeWriter)> {
        let (out, out_writer) = Source::open(Stream::Stdout)?;
        let (err, err_writer) = Source::open(Stream::Stderr)?;
        Ok((Self { out, err }, out_writer, err_writer))
    }

    /// Reads both into `recorder` until they end, or stay silent after `tree_gone`. Dropping the future
    /// leaves in `recorder` what was read.
    ///
    /// A full log makes it wait and so, in the end, the process. Reading goes on beyond the cap, so
    /// that the process does not wait for ever.
    pub(crate) async fn pump(&mut self, recorder: &mut Recorder, tree_gone: impl Future<Output = ()>) {
        let mut tree_gone = pin!(tree_gone);
        let mut gone_at = None;
        while self.out.is_open || self.err.is_open {
            let flush_at = recorder.flush_at();
            tokio::select! {
                () = self.out.fill(), if self.out.is_open => self.out.drain(recorder),
                () = self.err.fill(), if self.err.is_open => self.err.drain(recorder),
                () = sleep_until(flush_at.unwrap_or_else(Instant::now)), if flush_at.is_some() => {}
                () = &mut tree_gone, if gone_at.is_none() => gone_at = Some(Instant::now()),
                () = sleep(FOREIGN_HOLDER), if gone_at.is_some() => break,
            }
            if gone_at.is_some_and(|at| at.elapsed() > CHATTY_HOLDER) {
                break;
            }
            recorder.flush_due().await;
        }
        recorder.finish(&mut self.out.lines);
        recorder.finish(&mut self.err.lines);
    }

    /// Reads on for processes that were let go, and keeps nothing: what they print must not end them.
    pub(crate) async fn discard(self) {
        tokio::join!(self.out.discard(), self.err.discard());
    }
}

struct Source {
    pipe: Receiver,
    buffer: Vec<u8>,
    lines: LineCutter,
    is_open: bool,
}

impl Source {
    fn open(stream: Stream) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
        let buffer = Vec::with_capacity(BUFFER_BYTES);
        Ok((Self { pipe, buffer, lines: LineCutter::new(stream), is_open: true }, writer))
    }

    /// Waits for bytes, or the end. Dropping the future loses nothing.
    async fn fill(&mut self) {
        let read = self.pipe.read_buf(&mut self.buffer).await;
        self.is_open = read.is_ok_and(|count| count > 0);
    }

    async fn discard(mut self) {
        while self.is_open {
            self.fill().await;
            self.buffer.clear();
        }
    }

    fn drain(&mut self, recorder: &mut Recorder) {
        recorder.take(&mut self.lines, &self.buffer);
        self.buffer.clear();
    }
}
