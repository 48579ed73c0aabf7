//! Rules of scripts.

use crate::{ErrorCode, Problem, ScriptSpec};

/// Finds what keeps a script from being executed. `place` is where it stands.
pub(super) fn check(script: &ScriptSpec, place: &str, problems: &mut Vec<Problem>) {
    let mut wrong = |message: String, member: &str| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/{member}")))
    };
    if script.source.trim().is_empty() {
        wrong("the script is empty".to_owned(), "source");
    } else if script.source.len() > ScriptSpec::SOURCE_MAX {
        wrong(format!("a script has at most {} KiB", ScriptSpec::SOURCE_MAX / 1024), "source");
    }
    if script.xxl_args && !script.args.is_empty() {
        wrong("\"xxl_args\" stands in place of \"args\": keep one".to_owned(), "xxl_args");
    }
}

#[cfg(test)]
mod tests {
    use crate::check_job;

    #[test]
    fn a_script_has_a_text_and_one_kind_of_arguments() {
        let long = "x".repeat(256 * 1024 + 1);
        for (script, expected) in [
            (r#""source":"date","args":["a"]"#.to_owned(), &[][..]),
            (r#""source":"date","xxl_args":true"#.to_owned(), &[]),
            (r#""source":" ""#.to_owned(), &["/script/source"]),
            (format!(r#""source":"{long}""#), &["/script/source"]),
            (r#""source":"date","args":["a"],"xxl_args":true"#.to_owned(), &["/script/xxl_args"]),
        ] {
            let json =
                format!(r#"{{"name":"a","env":{{"A":"1"}},"retry_on":[3],"script":{{"language":"shell",{script}}}}}"#);
            let found = check_job(&serde_json::from_str(&json).unwrap());
            assert_eq!(found.iter().map(|problem| problem.pointer.as_str()).collect::<Vec<_>>(), expected);
        }
    }
}
