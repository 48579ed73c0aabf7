//! Scripts: refused unless allowed, in private files, with their interpreter and arguments.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use mainspring_model::ScriptLanguage;
use mainspring_tasks::{Attempt, Outcome, Script, Stream, Task};
use serde_json::json;

use crate::support::*;

fn script(language: ScriptLanguage, source: &str, args: &[&str]) -> Task {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Task::Script(Script { language, source: source.to_owned(), args, stdin: None })
}

fn allowed(hold: Hold) -> Bench {
    Bench::with(hold, |settings| settings.scripts = true)
}

#[tokio::test]
async fn a_script_is_refused_where_nobody_has_allowed_scripts() {
    let bench = Bench::new(Hold::Bare);
    let path = bench.path("ran");
    let source = format!("touch {}", path.display());
    let (ended, _) = bench.perform(&script(ScriptLanguage::Shell, &source, &[]), &attempt()).await;
    let error = ended.error.unwrap();
    assert_eq!((ended.outcome, error.code), (Outcome::Failed, "script.off"));
    assert!(error.message.contains("--scripts"), "{}", error.message);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_script_has_its_arguments_and_a_private_file_that_goes_with_it() {
    for hold in BOTH {
        let bench = allowed(hold);
        let source = "stat -c %a \"$0\" \"$(dirname \"$0\")\"\r\necho \"$0\" | sed 's/.*[.]//'\r\nprintf '%s\\n' \"$#\" \"$@\"\r\nexit 3\r\n";
        let task = script(ScriptLanguage::Shell, source, &["a b", "$HOME"]);
        let (ended, lines) = bench.perform(&task, &attempt()).await;
        assert_eq!(texts(&lines, Stream::Stdout), ["600", "700", "sh", "2", "a b", "$HOME"], "{hold:?}");
        assert_eq!((ended.exit_code, ended.error.unwrap().code), (Some(3), "process.exit"));
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[tokio::test]
async fn the_file_of_a_killed_script_goes_with_it() {
    for hold in BOTH {
        let bench = allowed(hold);
        let ready = bench.path("ready");
        let source =
            format!("trap '' TERM; test -f \"$0\" && echo $$ > {}; while :; do sleep 0.01; done", ready.display());
        let attempt = Attempt { kill_grace: Duration::from_millis(1), ..attempt() };
        let cancel = async {
            pid_in(&ready).await;
        };
        let task = script(ScriptLanguage::Shell, &source, &[]);
        let (ended, _) = bench.perform_until(&task, &attempt, cancel).await;
        assert_eq!((ended.outcome, ended.signal), (Outcome::Cancelled, Some(9)), "{hold:?}");
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[tokio::test]
async fn a_script_reads_its_input_and_leaves_an_output() {
    let bench = allowed(Hold::Bare);
    fs::write(bench.path("in put"), "x\n").unwrap();
    let source = "read line; echo \"got=$line\" >> \"$MS_OUTPUT\"";
    let task = Script {
        language: ScriptLanguage::Shell,
        source: source.to_owned(),
        args: Vec::new(),
        stdin: Some(bench.path("in put")),
    };
    let (ended, _) = bench.perform(&Task::Script(task), &attempt()).await;
    assert_eq!((ended.outcome, ended.output), (Outcome::Succeeded, Some(json!({ "got": "x" }))));
}

#[tokio::test]
async fn the_interpreter_is_found_in_the_path_of_the_job_or_named_as_missing() {
    let bench = allowed(Hold::Bare);
    let programs = bench.path("programs");
    fs::create_dir(&programs).unwrap();
    let with_path = || Attempt { env: BTreeMap::from([("PATH".into(), programs.display().to_string())]), ..attempt() };
    for language in ScriptLanguage::ALL {
        let (ended, _) = bench.perform(&script(*language, "x", &[]), &with_path()).await;
        let error = ended.error.unwrap();
        assert_eq!(error.code, "script.no_interpreter", "{language}");
        assert!(error.message.contains(language.programs()[0]), "{}", error.message);
    }
    // A program that tells its arguments stands for each interpreter.
    let tell = programs.join("tell");
    fs::write(&tell, "#!/bin/sh\nfor arg; do echo \"${arg##*/}\"; done\n").unwrap();
    fs::set_permissions(&tell, fs::Permissions::from_mode(0o700)).unwrap();
    for (language, said) in [
        (ScriptLanguage::Python, &["script.py", "a"][..]),
        (ScriptLanguage::Node, &["script.js", "a"]),
        (ScriptLanguage::Php, &["script.php", "a"]),
        (ScriptLanguage::Powershell, &["-File", "script.ps1", "a"]),
    ] {
        symlink(&tell, programs.join(language.programs().last().unwrap())).unwrap();
        let (_, lines) = bench.perform(&script(language, "x", &["a"]), &with_path()).await;
        assert_eq!(texts(&lines, Stream::Stdout), said, "{language}");
    }
}

#[test]
fn arguments_of_xxl_job_are_parameter_shard_and_number_of_shards() {
    let shard = [("MS_SHARD_INDEX", "1"), ("MS_SHARD_TOTAL", "3")].map(|(name, value)| (name.into(), value.into()));
    for (input, env, expected) in [
        (json!(null), BTreeMap::new(), ["", "0", "1"]),
        (json!("a b"), BTreeMap::from(shard.clone()), ["a b", "1", "3"]),
        (json!({"a": 1}), BTreeMap::from(shard), ["{\"a\":1}", "1", "3"]),
    ] {
        assert_eq!(Script::xxl_args(&input, &env), expected);
    }
}
