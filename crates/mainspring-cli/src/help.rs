//! Help and usage errors: what clap says, in our style, and shorter.
//!
//! The options of all commands fill more of a page than those of the command itself. So `--help` names them in a line, and `--help-all`
//! explains them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

/// Asks for the help with all options.
const HELP_ALL: &str = "--help-all";
/// Headings of the options of all commands, and of those that ask a server.
const COMMON: [&str; 2] = ["Output", "Server"];

/// Returns the definitions as the given line wants to see them, and the line as clap reads it.
pub fn prepared(command: Command, line: impl IntoIterator<Item = OsString>) -> (Command, Vec<OsString>) {
    let mut line: Vec<OsString> = line.into_iter().collect();
    let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
    let all = line[..end].iter().position(|word| word == HELP_ALL);
    match all {
        Some(place) => {
            line[place] = "--help".into();
            (command, line)
        }
        None => (short(command, &[]), line),
    }
}

/// Leaves the common options out of the help, and names them in one line at its end.
fn short(command: Command, above: &[String]) -> Command {
    let own = command.get_arguments().filter(|argument| is_common(argument)).map(spelling);
    let names: Vec<String> = above.iter().cloned().chain(own).collect();
    let also = match names.is_empty() {
        true => String::new(),
        false => format!("\n\nOptions of all commands, explained by --help-all:\n  {}", lines(&names)),
    };
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}{{after-help}}\n\n{{all-args}}{also}\n");
    let command = command.help_template(template).mut_args(|argument| match is_common(&argument) {
        true => argument.hide(true),
        false => argument,
    });
    command.mut_subcommands(|child| short(child, &names))
}

fn is_common(argument: &Arg) -> bool {
    argument.get_help_heading().is_some_and(|heading| COMMON.contains(&heading))
}

fn spelling(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("-{short}/")).unwrap_or_default();
    format!("{short}--{}", argument.get_long().unwrap_or_default())
}

/// Puts words into lines of at most 96 characters.
fn lines(words: &[String]) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            let breaks = length + word.len() > 94;
            text += if breaks { ",\n  " } else { ", " };
            length = if breaks { 0 } else { length + 2 };
        }
        text += word;
        length += word.len();
    }
    text
}

/// Puts a usage error of clap in our words. Help that is shown for want of a command stays as it is.
pub fn in_our_style(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    let text = text.replacen("error:", "error[cli.usage]:", 1).replace("tip:", "hint:");
    let Some(hint) = positional(error) else { return text.trim_end().to_owned() };
    // In place of the advice to pass the option as a value, which is never what was meant.
    let kept = text.lines().filter(|line| !line.contains("as a value"));
    let mut shown: Vec<String> = kept.map(str::to_owned).collect();
    shown.dedup_by(|line, before| line.trim().is_empty() && before.trim().is_empty());
    let place = shown.iter().position(|line| line.trim().is_empty()).unwrap_or(shown.len());
    shown.insert(place, format!("\n  hint: {hint}"));
    shown.join("\n").trim_end().to_owned()
}

/// Says how to write an option that the command takes as an argument: `job get --job x` is `job get x`.
fn positional(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let usage = usage.lines().next()?.trim_start_matches("Usage:").trim();
    let name = option.trim_start_matches('-').split('=').next()?.to_uppercase();
    let program = usage.split(" [").next()?.split(" <").next()?.trim();
    let takes =
        |word: &str| usage.split(['<', '>', '[', ']', '|', ' ']).any(|part| part.trim_end_matches("...") == word);
    if takes(&name) {
        return Some(format!("the {} stands without an option: {program} {name}", name.to_lowercase()));
    }
    (name == "JOB" && takes("TRIGGER")).then(|| format!("a trigger is named with its job: {program} JOB/TRIGGER"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(words: &[&str]) -> clap::Error {
        let line = ["mainspring"].iter().chain(words).map(OsString::from);
        let (command, line) = prepared(crate::cli::command(), line);
        command.try_get_matches_from(line).unwrap_err()
    }

    #[test]
    fn help_names_the_common_options_and_help_all_explains_them() {
        for words in [&["job", "list"][..], &["server"], &["run", "start"], &[]] {
            let [short, all] = ["--help", "--help-all"].map(|help| tried(&[words, &[help]].concat()).to_string());
            assert!(short.contains("-o/--output, --columns") && short.contains("--help-all"), "{words:?}: {short}");
            assert!(!short.contains("Leave the header of the table out"), "{words:?}: {short}");
            assert!(all.contains("Leave the header of the table out"), "{words:?}: {all}");
            assert!(short.lines().all(|line| line.chars().count() <= 100), "{words:?}: {short}");
        }
        let [short, all] = ["--help", "--help-all"].map(|help| tried(&["job", "list", help]).to_string());
        assert!(short.contains("--server") && !short.contains("Address of the server") && short.contains("--label"));
        assert!(all.contains("Address of the server"));
    }

    #[test]
    fn an_option_in_place_of_an_argument_is_explained() {
        let cases = [
            (&["job", "get", "--job", "x"][..], "the job stands without an option: mainspring job get JOB"),
            (&["job", "history", "--job=x"], "mainspring job history JOB"),
            (&["run", "start", "--job", "x"], "mainspring run start JOB"),
            (&["logs", "--job", "x"], "mainspring logs JOB"),
            (&["run", "get", "--run", "x"], "mainspring run get RUN"),
            (&["queue", "pause", "--queue", "x"], "mainspring queue pause QUEUE"),
            (&["trigger", "gaps", "--job", "x"], "mainspring trigger gaps JOB/TRIGGER"),
            (&["trigger", "pause", "--trigger", "x"], "mainspring trigger pause TRIGGER"),
        ];
        for (words, hint) in cases {
            let said = anstream::adapter::strip_str(&in_our_style(&tried(words))).to_string();
            assert!(said.starts_with("error[cli.usage]: ") && said.contains(hint), "{words:?}: {said}");
            assert!(!said.contains("as a value"), "{words:?}: {said}");
        }
        let said = in_our_style(&tried(&["job", "get", "--color", "x"]));
        assert!(!said.contains("stands without"), "{said}");
    }
}
