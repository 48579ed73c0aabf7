//! What needs no server: usage errors, suggestions, forms of output, completion.

use crate::program::Program;

#[test]
fn wrong_command_lines_exit_2_and_say_what_to_do() {
    let cases: &[(&[&str], &str)] = &[
        (&["vresion"], "hint: a similar subcommand exists: 'version'"),
        (&["version", "--quite"], "hint: a similar argument exists: '--quiet'"),
        (&["version", "-o", "jsn"], "hint: a similar value exists: 'json'"),
        (&["completion"], "required arguments were not provided"),
        (&["version", "--columns", "versoin"], "did you mean \"VERSION\"?"),
    ];
    let program = Program::new();
    for (arguments, part) in cases {
        let ended = program.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.starts_with("error[cli.usage]: "), "{ended:?}");
        assert!(ended.stderr.contains(part), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{arguments:?}");
    }
}

#[test]
fn an_unknown_zone_exits_9_with_a_suggestion() {
    let ended = Program::new().run(&["version", "--tz", "Europe/Brelin"]);
    assert_eq!(ended.code, 9);
    let expected =
        "error[schedule.zone]: unknown time zone \"Europe/Brelin\"\n  hint: did you mean \"Europe/Berlin\"?\n";
    assert_eq!(ended.stderr, expected);
}

#[test]
fn help_shows_examples_before_options_and_goes_to_stdout() {
    for arguments in [&["--help"][..], &["help"], &["completion", "--help"]] {
        let ended = Program::new().run(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments:?}");
        let examples = ended.stdout.find("Examples:").unwrap();
        let options = ended.stdout.find("Options:").unwrap();
        assert!(examples < options, "{arguments:?}: {}", ended.stdout);
    }
}

#[test]
fn every_exit_code_is_in_the_help() {
    let help = Program::new().run(&["--help"]).stdout;
    for code in ["0  ok", "9  validation failed", "130  interrupted"] {
        assert!(help.contains(code), "{code}: {help}");
    }
}

#[test]
fn each_form_of_output_is_what_it_says() {
    let program = Program::new();
    let version = env!("CARGO_PKG_VERSION");
    let show = |form: &str| program.run(&["version", "-o", form]).stdout;

    assert_eq!(show("name"), format!("{version}\n"));
    let json: serde_json::Value = serde_json::from_str(&show("json")).unwrap();
    assert_eq!(json["version"], version);
    assert_eq!(show("jsonl").lines().count(), 1);
    assert!(show("yaml").contains(&format!("version: \"{version}\"")));
    assert!(show("table").starts_with("VERSION"));
}

#[test]
fn colour_follows_option_and_environment() {
    let program = Program::new();
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = program.command(arguments);
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&["version"], &[]), "no terminal, no colour");
    assert!(coloured(&["version", "--color", "always"], &[]));
    assert!(coloured(&["version"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&["version"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["version", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn completion_knows_the_commands_in_every_shell() {
    let program = Program::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ended = program.run(&["completion", shell]);
        assert_eq!(ended.code, 0, "{shell}: {}", ended.stderr);
        for word in ["completion", "version", "--output"] {
            let plain = word.trim_start_matches('-');
            assert!(ended.stdout.contains(plain), "{shell} lacks {word}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = Program::new();
    let mut command = program.command(&["completion", "bash"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");
}
