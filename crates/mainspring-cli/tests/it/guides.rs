//! The commands of the guides, done in their order in a shell, each page on a server of its own: a page that cannot be followed fails here.
//! What a page leaves out is in `tests/guides.toml`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::live::Live;
use crate::program::Program;

/// Stops at the first line that fails, and shows what it has printed.
const PRELUDE: &str = "set -u; trap 'code=$?; [ $code = 0 ] || cat out; exit $code' EXIT\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guides {
    guide: Vec<Guide>,
    apart: Vec<Apart>,
}

/// A page that is followed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guide {
    page: String,
    #[serde(default)]
    before: String,
    /// The name of the first file, where only the text says it.
    file: Option<String>,
    #[serde(default)]
    line: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    is: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    exit: i32,
    r#as: Option<String>,
    skip: Option<String>,
}

/// A page that is not followed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Apart {
    page: String,
    why: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn guides() -> Guides {
    toml::from_str(include_str!("../guides.toml")).unwrap()
}

/// The blocks of a page, with the language of each.
fn blocks(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = page.split("\n```").skip(1).step_by(2);
    parts.map(|part| part.split_once('\n').expect("a block begins a line"))
}

/// The name of a file that its first line says.
fn name(block: &str) -> Option<&str> {
    let name = block.lines().next()?.strip_prefix("# ")?;
    (name.ends_with(".yaml") && !name.contains(' ')).then_some(name)
}

fn is_command(line: &str) -> bool {
    ["mainspring ", "umask ", "(umask "].iter().any(|start| line.starts_with(start))
}

/// Whether a line names the columns of a table.
fn is_head(line: &str) -> bool {
    line.starts_with(|letter: char| letter.is_ascii_uppercase())
        && line.chars().all(|letter| letter.is_ascii_uppercase() || letter == ' ')
}

/// A command with variables where the page prints what differs from time to time.
fn with_variables(command: &str) -> String {
    let stands_for = |word: &str| {
        let is_hex = |part: &str| part.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'));
        let lengths: Vec<usize> = word.split('-').map(str::len).collect();
        match word {
            "RUN" => Some("$RUN"),
            "ID" => Some("$ID"),
            _ if lengths == [8, 4, 4, 4, 12] && word.split('-').all(is_hex) => Some("$RUN"),
            _ if word.len() == 12 && is_hex(word) => Some("$PLAN"),
            _ => None,
        }
    };
    command.split(' ').map(|word| stands_for(word).unwrap_or(word)).collect::<Vec<_>>().join(" ")
}

fn script(guide: &Guide) -> String {
    let page = std::fs::read_to_string(root().join(&guide.page)).unwrap();
    let (mut lines, mut file) = (guide.line.iter().peekable(), guide.file.as_deref());
    let mut script = format!("{PRELUDE}{}\n", guide.before);
    for (language, block) in blocks(&page).filter(|(language, _)| !["rust", "ini"].contains(language)) {
        if language == "yaml" {
            if let Some(name) = name(block).or_else(|| file.take()) {
                writeln!(script, "cat > {name} <<'END OF FILE'\n{block}\nEND OF FILE").unwrap();
            }
            continue;
        }
        for shown in block.lines() {
            let command = shown.strip_prefix("$ ").unwrap_or(shown);
            if is_command(command) {
                let line = lines.next_if(|line| command.starts_with(&line.is));
                if line.is_some_and(|line| line.skip.is_some()) {
                    continue;
                }
                let (before, exit) = line.map_or(("", 0), |line| (line.before.as_str(), line.exit));
                let command = line.and_then(|line| line.r#as.clone()).unwrap_or_else(|| with_variables(command));
                let fails = format!("{{ echo \"exit code $code, not {exit}, of: \"{shown:?}; exit 1; }}");
                writeln!(script, "{before}\n{{ {command}\n}} > out 2>&1; code=$?; [ $code = {exit} ] || {fails}")
                    .unwrap();
            } else if language == "console" && is_head(shown) {
                let head = shown.split_whitespace().collect::<Vec<_>>().join(" ");
                let fails = format!("{{ echo 'not printed: {head}'; exit 1; }}");
                writeln!(script, "tr -s ' ' < out | grep -qF '{head}' || {fails}").unwrap();
            }
        }
    }
    assert!(lines.peek().is_none(), "{}: there is no command {:?} there", guide.page, lines.next().unwrap().is);
    script
}

fn can_be_followed(page: &str) {
    let guides = guides();
    let guide = guides.guide.iter().find(|guide| guide.page == page).expect("it is in the table");
    let program = Program::new();
    let live = Live::start(&program);
    let binaries = Path::new(env!("CARGO_BIN_EXE_mainspring")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    let file = program.file("followed.sh", script(guide));
    let mut shell = std::process::Command::new("bash");
    shell.args(["--noprofile", "--norc", &file]).env_clear().current_dir(program.home());
    shell.env("PATH", path).env("HOME", program.home()).env("TZ", "UTC").env("SERVER", &live.url);
    shell.env("EXAMPLES", root().join("examples")).env("DUMPS", root().join("crates/mainspring-xxl/tests/dumps"));
    let ended = shell.output().unwrap();
    let said = [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(ended.status.success(), "{page} cannot be followed: {said}");
    live.stop();
}

#[test]
fn every_guide_is_followed_or_says_why_not() {
    let guides = guides();
    let mut named: Vec<String> = guides.guide.into_iter().map(|guide| guide.page).collect();
    assert!(guides.apart.iter().all(|apart| !apart.why.is_empty()));
    named.extend(guides.apart.into_iter().map(|apart| apart.page));
    named.sort();
    let entries = std::fs::read_dir(root().join("docs/guide")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/guide/{name}")).collect();
    pages.sort();
    assert_eq!(named, pages);
}

#[test]
fn getting_started_can_be_followed() {
    can_be_followed("docs/guide/getting-started.md");
}

#[test]
fn workflows_can_be_followed() {
    can_be_followed("docs/guide/workflows.md");
}

#[test]
fn queues_can_be_followed() {
    can_be_followed("docs/guide/queues.md");
}

#[test]
fn backfill_can_be_followed() {
    can_be_followed("docs/guide/backfill.md");
}

#[test]
fn runs_can_be_followed() {
    can_be_followed("docs/guide/runs.md");
}

#[test]
fn flows_can_be_followed() {
    can_be_followed("docs/guide/flows.md");
}

#[test]
fn alerts_can_be_followed() {
    can_be_followed("docs/guide/alerts.md");
}

#[test]
fn webhooks_can_be_followed() {
    can_be_followed("docs/guide/webhooks.md");
}

#[test]
fn workers_can_be_followed() {
    can_be_followed("docs/guide/workers.md");
}

#[test]
fn from_xxl_job_can_be_followed() {
    can_be_followed("docs/guide/from-xxl-job.md");
}
