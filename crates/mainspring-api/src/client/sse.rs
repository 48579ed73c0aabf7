//! Event streams (`text/event-stream`, WHATWG HTML 9.2): from bytes in any portions to messages.

/// A message of an event stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// `event:`, or nothing.
    pub event: String,
    /// `id:` of this or an earlier message.
    pub id: String,
    /// The `data:` lines.
    pub data: String,
}

/// Collects bytes into messages.
#[derive(Debug, Default)]
pub(super) struct Parser {
    line: Vec<u8>,
    after_return: bool,
    message: Message,
    has_data: bool,
    size: usize,
}

/// A message or line that exceeds what a stream of ours has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Log lines are cut far below, and events are small.
const MESSAGE_BYTES_MAX: usize = 4 << 20;

impl Parser {
    /// Takes bytes, and appends the messages that they complete.
    pub(super) fn push(&mut self, bytes: &[u8], messages: &mut impl Extend<Message>) -> Result<(), TooLarge> {
        for &byte in bytes {
            let ends_line = byte == b'\r' || (byte == b'\n' && !self.after_return);
            let is_rest_of_end = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if ends_line {
                messages.extend(self.end_line());
            } else if !is_rest_of_end {
                self.size += 1;
                self.line.push(byte);
            }
            if self.size > MESSAGE_BYTES_MAX {
                return Err(TooLarge);
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> Option<Message> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_message();
        }
        let text = String::from_utf8_lossy(&line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.message.event = value.to_owned(),
            "id" if !value.contains('\0') => self.message.id = value.to_owned(),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
            }
            // Comments, retry times, and fields of later versions.
            _ => self.size = self.size.saturating_sub(line.len()),
        }
        None
    }

    fn end_message(&mut self) -> Option<Message> {
        self.size = 0;
        let next = Message { id: self.message.id.clone(), ..Message::default() };
        let message = std::mem::replace(&mut self.message, next);
        std::mem::take(&mut self.has_data).then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, portion: usize) -> Vec<(String, String, String)> {
        let mut parser = Parser::default();
        let mut messages = Vec::new();
        for bytes in text.as_bytes().chunks(portion) {
            parser.push(bytes, &mut messages).unwrap();
        }
        messages.into_iter().map(|message| (message.event, message.id, message.data)).collect()
    }

    #[test]
    fn messages_come_out_whole_however_the_bytes_arrive() {
        let cases: [(&str, &[_]); 5] = [
            ("data: a\n\n", &[("", "", "a")]),
            ("event: line\nid: 7\ndata:a\ndata\ndata: ü\n\n", &[("line", "7", "a\n\nü")]),
            ("id: 1\r\ndata: a\r\n\r\ndata: b\r\r", &[("", "1", "a"), ("", "1", "b")]),
            (": comment\n\nevent: x\n\nretry: 5\ndata: a\n\n", &[("", "", "a")]),
            ("data: cut off", &[] as &[(&str, &str, &str)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(event, id, data)| ((*event).to_owned(), (*id).to_owned(), (*data).to_owned()))
                .collect();
            for portion in [1, 2, 3, 1000] {
                assert_eq!(parse(text, portion), expected, "{text:?} by {portion}");
            }
        }
    }

    #[test]
    fn an_endless_message_is_refused_and_endless_comments_are_not() {
        let mut parser = Parser::default();
        let mut messages: Vec<Message> = Vec::new();
        for _ in 0..100_000 {
            parser.push(b": still here, still here, still here, still here, still here\n", &mut messages).unwrap();
        }
        let line = [b'x'; 1 << 20];
        assert!((0..4).all(|_| parser.push(&line, &mut messages).is_ok()));
        assert_eq!(parser.push(&line, &mut messages), Err(TooLarge));
    }
}
