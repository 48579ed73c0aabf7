//! The reports of a leash to its worker, one line each.

use std::io::Write;
use std::time::Duration;

use rustix::process::Pid;

use crate::process::tree;

/// One line from the leash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program runs, with this id, which is also its group's.
    Started(Pid),
    /// The program could not be started; the system's error number, 0 for none.
    Refused(i32),
    /// The program ended. Its descendants are ended next, and then the connection closes.
    Ended {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// The worker was silent for so many milliseconds, and the tree is ended for that.
    Lapsed(u32),
    /// The number of processes that could not be ended.
    Left(usize),
    /// This process goes on, now that the program has ended.
    Background(Pid),
}

impl Report {
    /// Creates the report of a silence that was too long.
    pub(crate) fn lapsed(silence: Duration) -> Self {
        Self::Lapsed(u32::try_from(silence.as_millis()).unwrap_or(u32::MAX))
    }

    /// Sends the report. A worker that has gone misses it; the socket's end says so elsewhere.
    pub(crate) fn send(self, to: &mut impl Write) {
        let line = match self {
            Self::Started(pid) => format!("started {}\n", pid.as_raw_nonzero()),
            Self::Refused(errno) => format!("refused {errno}\n"),
            Self::Ended { code: Some(code), .. } => format!("exited {code}\n"),
            Self::Ended { signal, .. } => format!("signalled {}\n", signal.unwrap_or(0)),
            Self::Lapsed(ms) => format!("lapsed {ms}\n"),
            Self::Left(count) => format!("left {count}\n"),
            Self::Background(pid) => format!("background {}\n", pid.as_raw_nonzero()),
        };
        let _ = to.write_all(line.as_bytes());
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.split_once(' ')?;
        let number: i32 = number.parse().ok()?;
        Some(match word {
            "started" if number > 0 => Self::Started(tree::pid_of(number.cast_unsigned())),
            "refused" => Self::Refused(number),
            "exited" => Self::Ended { code: Some(number), signal: None },
            "signalled" => Self::Ended { code: None, signal: Some(number) },
            "lapsed" => Self::Lapsed(number.try_into().ok()?),
            "left" => Self::Left(number.try_into().ok()?),
            "background" if number > 0 => Self::Background(tree::pid_of(number.cast_unsigned())),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_were_sent() {
        let reports = [
            Report::Started(tree::pid_of(7)),
            Report::Refused(2),
            Report::Ended { code: Some(3), signal: None },
            Report::Ended { code: None, signal: Some(9) },
            Report::Lapsed(10_000),
            Report::Left(1),
            Report::Background(tree::pid_of(8)),
        ];
        for report in reports {
            let mut bytes = Vec::new();
            report.send(&mut bytes);
            assert_eq!(Report::parse(String::from_utf8(bytes).unwrap().trim_end()), Some(report));
        }
        for line in ["", "started", "started x", "started -1", "danced 1", "left -1", "started 0"] {
            assert_eq!(Report::parse(line), None, "{line}");
        }
    }
}
