//! `mainspring run output`: what a run has left, printed or written to a file.

use crate::canned::{Canned, json, problem};
use crate::program::Program;

const LEFT: &str = r#"{"rows":[1,2,3]}"#;

#[test]
fn what_a_run_has_left_is_printed_or_written_to_a_file() {
    let program = Program::new();
    let token = program.file("token", "secret");
    let server = Canned::start(|line| match line {
        "GET /api/v1/runs/0198/output" => json(200, LEFT),
        _ => problem(404, "output.not_found", "the run 0199 has no output"),
    });
    let asked = |arguments: &[&str]| {
        program.run(&[&["run", "output"], arguments, &["--server", &server.url(), "--token-file", &token]].concat())
    };
    let printed = asked(&["0198"]);
    assert_eq!((printed.code, printed.stdout.trim_end()), (0, LEFT), "{printed:?}");
    let file = program.file("left.json", "before");
    let written = asked(&["0198", "--out", &file]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
    assert!(written.stderr.contains("16 bytes written"), "{written:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), LEFT);
    let nowhere = asked(&["0198", "--out", &format!("{file}/x")]);
    assert!(nowhere.code != 0 && nowhere.stderr.contains("error[cli.output]: cannot write to"), "{nowhere:?}");
    let none = asked(&["0199"]);
    assert_eq!(none.code, 3, "{none:?}");
    assert!(none.stderr.contains("error[output.not_found]"), "{none:?}");
}
