//! What a terminal shows of a line: its text without escape sequences.

use std::borrow::Cow;

const ESCAPE: char = '\x1b';
const BELL: char = '\x07';

/// Returns the text without the escape sequences of ECMA-48: CSI, OSC and the other strings, and the short ones.
///
/// A sequence that the line's end cuts off goes to the end of the line.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        shown.push_str(&rest[..at]);
        rest = after_sequence(&rest[at + 1..]);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Returns what follows a sequence, given what follows its ESC.
fn after_sequence(rest: &str) -> &str {
    let mut characters = rest.chars();
    match characters.next() {
        // Control sequence: parameters and intermediates, then one final byte from @ to ~.
        Some('[') => after(characters.as_str(), |character| ('@'..='~').contains(&character)),
        // Strings: up to BEL, or up to ESC \.
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()),
        // Intermediates, then one final byte: ESC ( B chooses a character set.
        Some(' '..='/') => after(characters.as_str(), |character| ('0'..='~').contains(&character)),
        Some('0'..='~') => characters.as_str(),
        _ => rest,
    }
}

fn after(text: &str, is_final: impl Fn(char) -> bool) -> &str {
    match text.char_indices().find(|(_, character)| is_final(*character) || *character == ESCAPE) {
        // A sequence that another one breaks off ends there.
        Some((at, ESCAPE)) => &text[at..],
        Some((at, character)) => &text[at + character.len_utf8()..],
        None => "",
    }
}

fn after_string(text: &str) -> &str {
    match text.find([BELL, ESCAPE]) {
        Some(at) if text[at..].starts_with(BELL) => &text[at + 1..],
        Some(at) => text[at + 1..].strip_prefix('\\').unwrap_or(&text[at..]),
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_are_left_out() {
        for (text, expected) in [
            ("plain é", "plain é"),
            ("", ""),
            ("\x1b[31mred\x1b[0m", "red"),
            ("a\x1b[38;2;1;2;3mb\x1b[mc", "abc"),
            ("\x1b[2K\rdone", "\rdone"),
            ("\x1b]8;;https://x.example/\x07link\x1b]8;;\x07", "link"),
            ("\x1b]0;title\x1b\\text", "text"),
            ("\x1b(Bascii\x1b7\x1b8", "ascii"),
            ("cut\x1b[31", "cut"),
            ("cut\x1b", "cut"),
            ("\x1b[3\x1b[31mbroken off", "broken off"),
            ("\x1b]open", ""),
            ("\x1bé", "é"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_left_of_any_sequence(text in "[\x1b\x07\\[\\]P_(;0-9mAé \\\\]{0,40}") {
            let shown = visible(&text);
            prop_assert!(!shown.contains(ESCAPE));
            prop_assert!(shown.len() <= text.len());
            prop_assert_eq!(visible(&shown), &*shown);
        }
    }
}
