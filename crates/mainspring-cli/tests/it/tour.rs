//! The tour of a cluster in the README, done as it is printed: its commands in a shell, and what they print.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use mainspring_rig::{Program, free_port};
use mainspring_store::conformance::kit;

use crate::wait::blocking;

const HEADING: &str = "## Three nodes, one killed, nothing lost\n";
/// Where the tour has its nodes.
const PORTS: [&str; 3] = ["7171", "7172", "7173"];

/// What a terminal shows.
struct Step {
    command: String,
    prints: Vec<String>,
}

fn steps(readme: &str) -> Vec<Step> {
    let (_, section) = readme.split_once(HEADING).expect("the README has the tour");
    let section = section.split("\n## ").next().unwrap();
    let mut steps: Vec<Step> = Vec::new();
    for line in section.split("```").skip(1).step_by(2).flat_map(str::lines).filter(|line| !line.is_empty()) {
        match line.strip_prefix("$ ") {
            Some(command) => steps.push(Step { command: command.to_owned(), prints: Vec::new() }),
            None => steps.last_mut().unwrap().prints.push(line.to_owned()),
        }
    }
    steps
}

/// A word without the figures that differ from time to time.
fn shape(word: &str) -> String {
    if word.starts_with("256") {
        return word.to_owned();
    }
    let word = word.strip_prefix(['+', '-']).filter(|rest| !rest.is_empty()).unwrap_or(word);
    let mut shape = String::new();
    for letter in word.chars() {
        match letter {
            '0'..='9' if shape.ends_with('9') => {}
            '0'..='9' => shape.push('9'),
            other => shape.push(other),
        }
    }
    // However long it took.
    if shape.ends_with("9ms") { shape.replace("9ms", "9s") } else { shape }
}

fn is_like(printed: &str, line: &str) -> bool {
    let (mut words, mut found) = (printed.split_whitespace(), line.split_whitespace());
    loop {
        match (words.next(), found.next()) {
            (None, None) => return true,
            (Some(word), Some(found)) if word.contains('…') => {
                if !found.starts_with(&word[..3]) {
                    return false;
                }
            }
            (Some(word), Some(found)) if shape(word) == shape(found) => {}
            _ => return false,
        }
    }
}

/// Whether lines are like those that are printed, where `…` stands for any number of them.
fn are_like(printed: &[String], lines: &[String]) -> bool {
    match (printed, lines) {
        ([], lines) => lines.is_empty(),
        ([any, rest @ ..], lines) if any == "…" => (0..=lines.len()).any(|from| are_like(rest, &lines[from..])),
        ([first, rest @ ..], [line, more @ ..]) => is_like(first, line) && are_like(rest, more),
        _ => false,
    }
}

/// A terminal, in a home of its own. What it started ends with it.
struct Shell {
    home: Program,
    shell: Child,
    keyboard: ChildStdin,
    screen: BufReader<ChildStdout>,
}

impl Shell {
    fn new() -> Self {
        let home = Program::new("bash").unwrap();
        let binaries = Path::new(env!("CARGO_BIN_EXE_mainspring")).parent().unwrap();
        // Jobs have numbers, as in a terminal.
        let mut command = home.command(&["--noprofile", "--norc", "-m"]);
        // The page shows a terminal.
        let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
        // What it says itself, of jobs that were killed, is not shown.
        let command = command.env("PATH", path).env("MAINSPRING_PRINT_TOKEN", "true");
        let mut shell = command.stderr(Stdio::null()).spawn().unwrap();
        let (keyboard, screen) = (shell.stdin.take().unwrap(), BufReader::new(shell.stdout.take().unwrap()));
        Self { home, shell, keyboard, screen }
    }

    /// What a command prints.
    fn types(&mut self, command: &str) -> Vec<String> {
        writeln!(self.keyboard, "{{ {command}\n}} 2>&1; echo '>'").unwrap();
        let lines = self.screen.by_ref().lines().map(Result::unwrap).take_while(|line| line != ">");
        lines.filter(|line| !line.is_empty()).collect()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.home.home().join(file)).unwrap_or_default()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.types("kill -9 $(jobs -p); exit");
        self.shell.wait().unwrap();
    }
}

#[test]
fn tour_of_the_readme_works_as_it_is_printed_on_postgres() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut readme = include_str!("../../../../README.md").to_owned();
    readme =
        readme.replace("postgres://USER:PASSWORD@127.0.0.1/jobs", &format!("'{}'", runtime.block_on(kit::postgres())));
    for port in PORTS {
        readme = readme.replace(port, &free_port().unwrap().to_string());
    }
    let steps = steps(&readme);
    assert!(steps.iter().any(|step| step.command.starts_with("kill -9")), "this is the tour");
    let mut shell = Shell::new();
    for (index, Step { command, prints }) in steps.iter().enumerate() {
        if command == "createdb jobs" {
            // The database is the test's.
        } else if command == "cat ticks.yaml" {
            let rest: Vec<String> = (3..=6).map(|tick| prints[1].replace("tick-1", &format!("tick-{tick}"))).collect();
            let file = prints.join("\n").replace("  …", &rest.join("\n"));
            std::fs::write(shell.home.home().join("ticks.yaml"), file).unwrap();
        } else if let Some(node) = command.strip_suffix(" &") {
            let output = format!("{index}.out");
            shell.types(&format!("{node} > {output} 2>>errors &"));
            blocking(command, || {
                let lines: Vec<String> = shell.read(&output).lines().map(str::to_owned).collect();
                let is_up = if prints.is_empty() { !lines.is_empty() } else { are_like(prints, &lines) };
                if is_up { Ok(()) } else { Err((lines, shell.read("errors"))) }
            });
        } else {
            // Between one look and the next may lie more time than between what the tour shows.
            let later =
                steps.get(index + 1).filter(|next| next.command.split(" #").next() == command.split(" #").next());
            blocking(command, || {
                let lines = shell.types(command);
                let is_so = are_like(prints, &lines) || later.is_some_and(|later| are_like(&later.prints, &lines));
                if is_so { Ok(()) } else { Err((prints.clone(), lines, shell.read("errors"))) }
            });
        }
    }
}
