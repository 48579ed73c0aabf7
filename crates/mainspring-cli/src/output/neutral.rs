//! Text that others have written, made harmless for a terminal.
//!
//! Logs and names hold whatever programs and people put there. On a terminal, control sequences of such text move the cursor, set the title of
//! the window, write to the clipboard or hide what was printed. Colours stay, because they are what logs are coloured with.

use std::borrow::Cow;

/// Returns text in which control characters are shown (`^[`, `^M`, `\x9b`) instead of obeyed. Line ends, tabs and colours (SGR) stay.
///
/// Characters that change the direction of text are shown as `\u{202e}`, because they let a line read differently from what it says.
pub fn neutral(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(is_active) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(colour) = colour(rest) {
            shown.push_str(colour);
            rest = &rest[colour.len()..];
        } else if let Some(after) = rest.strip_prefix("\r\n") {
            shown.push('\n');
            rest = after;
        } else if let Some(character) = rest.chars().next() {
            show(character, &mut shown);
            rest = &rest[character.len_utf8()..];
        }
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Tells whether a terminal does something else with a character than show it.
fn is_active(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

/// Returns the sequence at the beginning of `text` if it sets colours and no more: `ESC [ digits ; … m`.
fn colour(text: &str) -> Option<&str> {
    let body = text.strip_prefix("\x1b[")?;
    let length = body.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':')).count();
    (body.as_bytes().get(length) == Some(&b'm')).then(|| &text[..length + 3])
}

fn show(character: char, into: &mut String) {
    match character {
        '\u{7f}' => into.push_str("^?"),
        '\0'..='\u{1f}' => into.extend(['^', char::from(character as u8 + b'@')]),
        '\u{80}'..='\u{9f}' => into.push_str(&format!("\\x{:02x}", u32::from(character))),
        other => into.extend(other.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let cases = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31mred\x1b[0m \x1b[38;5;8mgrey\x1b[m", "\x1b[31mred\x1b[0m \x1b[38;5;8mgrey\x1b[m"),
            // The title of the window, a link, the clipboard.
            ("\x1b]0;title\x07", "^[]0;title^G"),
            ("\x1b]8;;http://x\x1b\\link", "^[]8;;http://x^[\\link"),
            ("\x1b]52;c;cm0=\x07", "^[]52;c;cm0=^G"),
            // Clears the screen, moves up, scrolls, asks for an answer that is typed into the shell.
            ("\x1b[2J\x1b[1A\x1b[6n\x1bc", "^[[2J^[[1A^[[6n^[c"),
            ("\x1b[31", "^[[31"),
            ("\x1b[1\x1b[2Km", "^[[1^[[2Km"),
            ("\x1bP+q\x1b\\", "^[P+q^[\\"),
            ("safe\rfake", "safe^Mfake"),
            ("a\r\nb", "a\nb"),
            ("a\x08b\x7f\0", "a^Hb^?^@"),
            ("\u{9b}2J\u{9d}0;t\u{9c}", "\\x9b2J\\x9d0;t\\x9c"),
            ("rm \u{202e}txt.exe", "rm \\u{202e}txt.exe"),
            ("äöü 漢字 🦀", "äöü 漢字 🦀"),
        ];
        for (text, expected) in cases {
            assert_eq!(neutral(text), expected, "{text:?}");
        }
    }
}
