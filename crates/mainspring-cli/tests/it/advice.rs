//! What is said to do about a mistake works when it is done.

use crate::program::{Ended, Program};

fn check(text: &str) -> Ended {
    let program = Program::new();
    program.file("a.yaml", text);
    program.run(&["check", "a.yaml"])
}

#[test]
fn hints_name_what_is_right() {
    let cases = [
        ("name: a\nnoop: true\nschedule: {every: 5}\n", "write it with a unit, such as 5s or 5m"),
        ("name: a\nnoop: true\ntimeout: 5\n", "write it with a unit, such as 5s or 5m"),
        ("name: a\nrun: x\nenv: {N: 010}\n", "010 begins with a zero; write it as text, in quotes"),
        ("name: a\nrun: x\nenv: {N: 10}\n", "write it in quotes: \"10\""),
        ("name: a\nrun: x\nenv: {VERSION: 1.10}\n", "write it in quotes, digit by digit as it was typed"),
        ("name: a\nnoop: true\ntimezone: CST\n", "`America/Chicago`, `America/Havana`, `Asia/Shanghai`"),
        ("name: a\nnoop: true\ntimezone: PST\n", "`America/Los_Angeles`"),
        (
            "name: a\nnoop: true\nschedule: 'CRON_TZ=Etc/UTC */20 * * * *'\n",
            "as `timezone: Etc/UTC`; try `*/20 * * * *`",
        ),
        ("name: a\nnoop: true\nschedule: 'TZ=Asia/Tokyo 0 0 * * *'\n", "as `timezone: Asia/Tokyo`"),
    ];
    for (text, advice) in cases {
        let ended = check(text);
        assert_eq!(ended.code, 9, "{text}");
        assert!(ended.stderr.contains(advice), "{text}: {}", ended.stderr);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_called_empty() {
    for text in ["name: [\n", "name: a\nname: b\n", "name: 'x\n"] {
        let ended = check(text);
        assert_eq!(ended.code, 9, "{text}");
        assert!(!ended.stderr.contains("there is nothing in it"), "{}", ended.stderr);
    }
}
