//! The commands of the first guide, done in its order on a server of its own: a page that cannot be followed fails here.

use crate::live::Live;
use crate::program::Program;

/// The blocks of a page, with the language of each.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let parts = page.split("\n```").skip(1).step_by(2);
    parts.map(|part| part.split_once('\n').expect("a block begins a line")).collect()
}

/// Words of a command line as a shell reads them, up to its comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted && words.last().unwrap().is_empty() => break,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn getting_started_can_be_followed() {
    let page = include_str!("../../../../docs/guide/getting-started.md");
    let program = Program::new();
    let live = Live::start(&program);
    let mut done = Vec::new();
    for (language, block) in blocks(page) {
        if language == "yaml" {
            let name = block.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a file has a name");
            program.file(name, block);
        }
        let commands = block.lines().filter(|line| line.starts_with("mainspring ") && *line != "mainspring server");
        for line in commands {
            let words = words(line);
            let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let ended = match arguments[..] {
                // A run has to be there for its log.
                ["logs", job] => {
                    assert_eq!(program.run(&["run", "start", job, "--wait"]).code, 0);
                    program.run(&arguments)
                }
                // Asks first, and nobody is there to answer.
                ["job", "delete", _] => {
                    let asked = program.run(&arguments);
                    assert!(asked.code != 0 && asked.stderr.contains("--yes"), "{asked:?}");
                    program.run(&[&arguments[..], &["--yes"]].concat())
                }
                _ => program.run(&arguments),
            };
            // What is wrong with an expression is what `lint` is for.
            let expected = if arguments.contains(&"lint") { 9 } else { 0 };
            assert_eq!(ended.code, expected, "{line}: {ended:?}");
            done.push(arguments[0].to_owned());
        }
    }
    for verb in ["check", "apply", "next", "logs", "job", "cron"] {
        assert!(done.iter().any(|it| it == verb), "{verb} is not shown: {done:?}");
    }
    live.stop();
}
