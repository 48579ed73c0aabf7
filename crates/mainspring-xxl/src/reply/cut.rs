//! The beginning of an answer with a log, where the whole is longer than anybody takes.

use serde_json::json;

use super::{Payload, Reply};

/// What stands before the text of a log.
const NAME: &[u8] = br#""logContent""#;
/// Bytes that the longest character takes in JSON: two escapes.
const CHARACTER_MAX: usize = 12;

impl Reply {
    /// Reads the text of a log as far as it is there. Nothing if the beginning holds none.
    ///
    /// The number of the last line is left out: it counts lines that are not there.
    pub(crate) fn of_cut_log(begin: &[u8]) -> Option<Self> {
        // Within a text, the quotes would be escaped.
        let at = begin.windows(NAME.len()).position(|window| window == NAME)? + NAME.len();
        let rest = begin[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
        let text = decoded(rest)?;
        let payload = Payload::Both(json!({ "logContent": text }));
        Some(Self { code: Some(200), message: None, payload, date_ms: None, is_cut: true })
    }
}

/// A text without its closing quote, which may end within a character.
fn decoded(raw: &[u8]) -> Option<String> {
    let whole = |end: usize| {
        let raw = std::str::from_utf8(&raw[..end]).ok()?;
        serde_json::from_str::<String>(&format!("\"{raw}\"")).ok()
    };
    (0..=CHARACTER_MAX).find_map(|less| whole(raw.len().checked_sub(less)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(begin: &str) -> Option<String> {
        let reply = Reply::of_cut_log(begin.as_bytes())?;
        assert!(reply.is_success() && reply.is_cut && reply.evidence().is_some());
        Some(reply.payload.value()?["logContent"].as_str()?.to_owned())
    }

    #[test]
    fn a_text_is_read_wherever_it_is_cut() {
        let whole = "a\nb\\n \"c\" é 中 😀 \u{1}";
        // As Java's executors write it, and with characters that are escaped in two parts.
        for escaped in
            [serde_json::to_string(whole).unwrap(), r#""a\nb\\n \"c\" \u00e9 \u4e2d \ud83d\ude00 \u0001""#.into()]
        {
            let answer = format!(r#"{{"code":200,"data":{{"fromLineNum":1,"toLineNum":9,"logContent" : {escaped}"#);
            let begins = answer.find(&escaped).unwrap() + 1;
            for end in begins..answer.len() {
                let Some(begin) = answer.get(..end) else { continue };
                let read = text(begin).unwrap_or_else(|| panic!("{begin}"));
                assert!(whole.starts_with(&read), "{begin}: {read:?}");
            }
            assert_eq!(text(&answer[..answer.len() - 1]).as_deref(), Some(whole));
        }
    }

    #[test]
    fn what_holds_no_log_is_none() {
        for begin in ["", "{", r#"{"code":500,"msg":"a \"logContent\" "#, r#"{"logContent":null"#, "<html>"] {
            assert_eq!(Reply::of_cut_log(begin.as_bytes()), None, "{begin}");
        }
    }
}
