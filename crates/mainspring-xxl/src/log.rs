//! Reading the log of a run while it is written.
//!
//! Executors disagree about where a log ends and which line was the last, so only two things of an answer are believed: the text, and
//! that a last line below the one asked for means that there is none. The last line of a run that lives may be half
//! written; it is asked for again and replaced.

use serde_json::Value;

use crate::lenient;
use crate::order::LogQuestion;
use crate::reply::Reply;

/// Where the reading of a log stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogReader {
    log_id: i64,
    log_date_time: i64,
    next: i64,
    is_done: bool,
}

/// What an answer has brought.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogPiece {
    /// Number of the first line, from 1.
    pub first_line: i64,
    /// Lines that stay as they are.
    pub lines: Vec<String>,
    /// The line after these, if the run may still write to it.
    pub unsure: Option<String>,
}

/// The longest text of one answer that is taken, in bytes; the rest is asked for with the next question.
const ANSWER_MAX: usize = 1 << 20;

impl LogReader {
    /// Begins to read the log of a run. `log_date_time` is what was sent with the run.
    #[must_use]
    pub const fn new(log_id: i64, log_date_time: i64) -> Self {
        Self { log_id, log_date_time, next: 1, is_done: false }
    }

    /// Goes on at a line, from 1: those before have been read.
    #[must_use]
    pub const fn from_line(self, next: i64) -> Self {
        Self { next, ..self }
    }

    /// What to ask next, or nothing when all has been read.
    #[must_use]
    pub fn question(&self) -> Option<LogQuestion> {
        (!self.is_done).then(|| LogQuestion::new(self.log_id, self.log_date_time, self.next))
    }

    /// Takes an answer in. `is_over` says whether the run was over *before* the question was sent: then the last line is whole, and
    /// reading ends with the first answer that brings nothing.
    pub fn take(&mut self, reply: &Reply, is_over: bool) -> LogPiece {
        let nothing = LogPiece { first_line: self.next, ..LogPiece::default() };
        let Some((text, is_cut)) = self.text(reply) else {
            self.is_done |= is_over;
            return nothing;
        };
        let mut lines: Vec<String> = text.split_inclusive('\n').map(whole).collect();
        // A cut line is asked for again; alone, it is longer than any answer, and is taken as it is.
        let is_last_sure = if is_cut { lines.len() == 1 } else { is_over };
        let unsure = if is_last_sure { None } else { lines.pop() };
        let piece = LogPiece { lines, unsure, ..nothing };
        self.next += i64::try_from(piece.lines.len()).unwrap_or(0);
        piece
    }

    /// The text of an answer from the line that was asked for on, and whether it was cut. Nothing if there is none.
    fn text<'a>(&self, reply: &'a Reply) -> Option<(&'a str, bool)> {
        let payload = reply.payload.value().filter(|_| reply.is_success())?;
        let text = payload.get("logContent").and_then(Value::as_str).filter(|text| !text.is_empty())?;
        let last = payload.get("toLineNum").and_then(lenient::integer);
        if last.is_some_and(|last| last < self.next) {
            return None;
        }
        let end = text.floor_char_boundary(ANSWER_MAX);
        Some((&text[..end], end < text.len() || reply.is_cut))
    }
}

/// A line without what ends it.
fn whole(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reply(to: i64, text: &str, name: &str) -> Reply {
        let body = json!({"code": 200, name: {"fromLineNum": 1, "toLineNum": to, "logContent": text, "isEnd": true}});
        Reply::parse(200, body.to_string().as_bytes())
    }

    #[test]
    fn the_last_line_of_a_living_run_is_asked_for_again() {
        let mut reader = LogReader::new(7, 5);
        assert_eq!(reader.question(), Some(LogQuestion::new(7, 5, 1)));
        let piece = reader.take(&reply(3, "a\r\nb\nhal\n", "content"), false);
        assert_eq!(
            (piece.first_line, piece.lines, piece.unsure),
            (1, vec!["a".into(), "b".into()], Some("hal".into()))
        );
        assert_eq!(reader.question().unwrap().from_line_num, 3);
        let piece = reader.take(&reply(4, "half\nend\n", "data"), true);
        assert_eq!((piece.first_line, piece.lines, piece.unsure), (3, vec!["half".into(), "end".into()], None));
        assert_eq!(reader.question().unwrap().from_line_num, 5);
        assert_eq!(reader.take(&reply(0, "", "data"), true), LogPiece { first_line: 5, ..LogPiece::default() });
        assert_eq!(reader.question(), None);
    }

    #[test]
    fn nothing_new_moves_nothing_whatever_the_numbers_say() {
        for (to, text) in [(0, ""), (508, ""), (8, ""), (0, "readLog fail, logFile not exists")] {
            let mut reader = LogReader::new(1, 1);
            let piece = reader.take(&reply(to, text, "content"), false);
            assert_eq!((piece.lines.len(), piece.unsure), (0, None), "{to} {text}");
            assert_eq!(reader.question().unwrap().from_line_num, 1);
        }
        let mut reader = LogReader::new(1, 1);
        reader.take(&Reply::parse(500, b"broken"), true);
        assert_eq!(reader.question(), None, "a log that cannot be read ends with its run");
    }

    #[test]
    fn an_executor_that_answers_the_same_for_ever_comes_to_an_end() {
        let mut reader = LogReader::new(1, 1);
        let mut lines = 0;
        for _ in 0..9 {
            lines += reader.take(&reply(2, "no log here", "content"), true).lines.len();
        }
        assert_eq!((lines, reader.question()), (2, None));
    }

    #[test]
    fn of_an_answer_that_came_cut_the_last_line_is_asked_for_again() {
        let mut reader = LogReader::new(1, 1);
        let cut = Reply { is_cut: true, ..Reply::parse(200, br#"{"code":200,"data":{"logContent":"a\nb\nha"}}"#) };
        let piece = reader.take(&cut, true);
        assert_eq!((piece.lines, piece.unsure.as_deref()), (vec!["a".to_owned(), "b".to_owned()], Some("ha")));
        assert_eq!(reader.question().unwrap().from_line_num, 3);
    }

    #[test]
    fn an_answer_is_cut_at_our_bound_and_the_rest_asked_for() {
        let mut reader = LogReader::new(1, 1);
        let line = "x".repeat(1_023) + "\n";
        let piece = reader.take(&reply(5_000, &line.repeat(5_000), "data"), true);
        assert!(piece.lines.len() >= 1_023 && piece.lines.len() <= 1_024, "{}", piece.lines.len());
        assert!(piece.lines.iter().all(|read| read.len() == 1_023), "no line is cut");
        let next = reader.question().unwrap().from_line_num;
        assert_eq!(next, 1 + piece.lines.len() as i64);
        let mut reader = LogReader::new(1, 1);
        let endless = reader.take(&reply(1, &"é".repeat(ANSWER_MAX), "data"), false);
        assert_eq!((endless.lines.len(), reader.question().unwrap().from_line_num), (1, 2), "it does not stand still");
    }
}
