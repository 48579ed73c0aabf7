//! Cuts a dump into statements. Comments are left out, quotes are respected, and nothing is understood.

/// A statement and the line on which it begins, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    pub line: usize,
    pub text: String,
}

/// The text ends within the statement that begins on this line, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    pub line: usize,
}

/// Yields the statements of a dump; the last word may be that it is cut.
pub(super) fn statements(dump: &str) -> impl Iterator<Item = Result<Statement, Cut>> {
    let mut rest = Scanner { dump, at: 0, line: 1 };
    std::iter::from_fn(move || rest.next_statement())
}

struct Scanner<'a> {
    dump: &'a str,
    at: usize,
    line: usize,
}

impl Scanner<'_> {
    fn next_statement(&mut self) -> Option<Result<Statement, Cut>> {
        let bytes = self.dump.as_bytes();
        let (mut text, mut begins) = (String::new(), None);
        // What was read since is copied in one piece, from here on.
        let mut copied = self.at;
        while let Some(byte) = bytes.get(self.at).copied() {
            let end = match (byte, &bytes[self.at + 1..]) {
                (b';', _) => {
                    text += &self.dump[copied..self.at];
                    self.at += 1;
                    match begins.take() {
                        Some(line) => return Some(Ok(Statement { line, text })),
                        None => {
                            text.clear();
                            copied = self.at;
                            continue;
                        }
                    }
                }
                (b'\'' | b'"' | b'`', _) => self.quoted(byte),
                (b'#', _) | (b'-', [b'-', b' ' | b'\t' | b'\r' | b'\n', ..] | [b'-']) => {
                    text += &self.dump[copied..self.at];
                    copied = self.find("\n").unwrap_or(bytes.len());
                    Some(copied)
                }
                (b'/', [b'*', ..]) => {
                    text += &self.dump[copied..self.at];
                    text.push(' ');
                    let end = self.find("*/").map(|end| end + 2);
                    copied = end.unwrap_or(bytes.len());
                    end
                }
                _ => Some(self.at + 1),
            };
            let is_comment = end.is_none_or(|end| end == copied);
            if !is_comment && !byte.is_ascii_whitespace() {
                begins.get_or_insert(self.line);
            }
            let next = end.unwrap_or(bytes.len());
            self.line += bytes[self.at..next].iter().filter(|byte| **byte == b'\n').count();
            self.at = next;
        }
        begins.map(|line| Err(Cut { line }))
    }

    /// Where a quoted text ends that begins here. Two quotes in it read as its end and another beginning, which comes to the same.
    fn quoted(&self, quote: u8) -> Option<usize> {
        let bytes = self.dump.as_bytes();
        let mut at = self.at + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' if quote != b'`' => at += 2,
                byte if *byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        None
    }

    fn find(&self, what: &str) -> Option<usize> {
        self.dump[self.at..].find(what).map(|at| self.at + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_comments_hide_semicolons() {
        let dump = "-- a; b\n# c; d\n/*!40101 SET x = 1 */;\nINSERT INTO `a;b` VALUES ('it''s; \\'q\\' \\\\',\"x;\n\"); ;\n\nSELECT/* ; */1-- end\n;";
        let read: Vec<(usize, String)> = statements(dump)
            .map(Result::unwrap)
            .map(|statement| (statement.line, statement.text.trim().to_owned()))
            .collect();
        let insert = "INSERT INTO `a;b` VALUES ('it''s; \\'q\\' \\\\',\"x;\n\")";
        assert_eq!(read, [(4, insert.to_owned()), (7, "SELECT 1".to_owned())]);
    }

    #[test]
    fn a_dump_that_is_cut_says_where_the_statement_began() {
        for dump in
            ["SELECT 1;\nINSERT INTO a VALUES (1", "SELECT 1;\nINSERT INTO a VALUES ('x);\n", "SELECT 1;\nx 'a\\"]
        {
            assert_eq!(statements(dump).last(), Some(Err(Cut { line: 2 })), "{dump}");
        }
        for dump in ["", "\n-- done", "SELECT 1;\n-- done\n", "/* never ends"] {
            assert!(statements(dump).all(|statement| statement.is_ok()), "{dump}");
        }
    }
}
