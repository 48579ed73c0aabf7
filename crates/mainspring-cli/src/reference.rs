//! The page `docs/reference/command-line.md`, made from the definitions. `UPDATE_REFERENCE=1` writes it anew.

use std::fmt::Write;

use clap::{Arg, Command};

use crate::exit::Exit;

/// Headings of options that stand once, at the top.
const OUTPUT: &str = "Output";
const SERVER: &str = "Server";

#[test]
fn the_page_of_the_manual_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/command-line.md");
    let page = page(&mut crate::cli::command());
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == page, "docs/reference/command-line.md is out of date: run the test with UPDATE_REFERENCE=1");
}

fn page(command: &mut Command) -> String {
    command.build();
    let mut text = "# Command line\n\nMade from the definitions in `crates/mainspring-cli`; do not edit. \
         The same is in `mainspring help COMMAND`.\n\n"
        .to_owned();
    text += "## Options of all commands\n\n";
    arguments(&mut text, command, |argument| heading(argument) == OUTPUT);
    let export = command.find_subcommand("export").unwrap();
    text += "## Options of commands that ask a server\n\n";
    arguments(&mut text, export, |argument| heading(argument) == SERVER);
    text += "## Exit codes\n\n| code | meaning |\n|---|---|\n";
    for (exit, meaning) in Exit::ALL {
        writeln!(text, "| {} | {meaning} |", exit as u8).unwrap();
    }
    text += "\n";
    for child in visible(command) {
        section(&mut text, child);
    }
    text
}

fn section(text: &mut String, command: &Command) {
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(text, "## {name}\n\n{about}\n").unwrap();
    let usage = command.clone().render_usage().to_string();
    writeln!(text, "```\n{}\n```\n", usage.trim_start_matches("Usage: ")).unwrap();
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines = examples.lines().skip(1).map(str::trim_start);
        writeln!(text, "```sh\n{}\n```\n", lines.collect::<Vec<_>>().join("\n")).unwrap();
    }
    arguments(text, command, |argument| ![OUTPUT, SERVER].contains(&heading(argument)));
    for child in visible(command) {
        section(text, child);
    }
}

/// Lists the chosen arguments in a table.
fn arguments(text: &mut String, command: &Command, chosen: impl Fn(&Arg) -> bool) {
    let rows: Vec<String> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"))
        .filter(|argument| chosen(argument))
        .map(row)
        .collect();
    if !rows.is_empty() {
        writeln!(text, "| argument | meaning | default |\n|---|---|---|").unwrap();
        writeln!(text, "{}\n", rows.join("\n")).unwrap();
    }
}

fn heading(argument: &Arg) -> &str {
    argument.get_help_heading().unwrap_or_default()
}

fn row(argument: &Arg) -> String {
    let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        meaning += &format!(" ({})", values.join(", "));
    }
    if let Some(variable) = argument.get_env() {
        meaning += &format!(" (`{}`)", variable.to_string_lossy());
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    let spelling = argument.to_string().replace('|', "\\|");
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    format!("| {short}`{spelling}` | {} | {} |", meaning.replace('|', "\\|"), defaults.join(" "))
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|child| !child.is_hide_set() && child.get_name() != "help")
}
