//! What a process is given, how it ends, and what becomes of its tree.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mainspring_tasks::{Attempt, Leftovers, Outcome, Stream, Task, TaskRunner};
use serde_json::json;

use crate::support::*;

fn exec(argv: &[&str]) -> Task {
    Task::Exec { argv: argv.iter().map(|arg| (*arg).to_owned()).collect() }
}

#[tokio::test]
async fn the_verdict_follows_exit_code_and_signal() {
    let cases = [
        ("exit 0", Outcome::Succeeded, Some(0), None, None),
        ("exit 3", Outcome::Failed, Some(3), None, Some("process.exit")),
        ("kill -9 $$", Outcome::Failed, None, Some(9), Some("process.signal")),
        ("exec nothing-of-that-name", Outcome::Failed, Some(127), None, Some("process.exit")),
        ("exec 1>&- 2>&-; exit 4", Outcome::Failed, Some(4), None, Some("process.exit")),
    ];
    for hold in BOTH {
        let bench = Bench::new(hold);
        for (script, outcome, exit_code, signal, code) in cases {
            let (ended, _) = bench.run(script).await;
            let found = (ended.outcome, ended.exit_code, ended.signal, ended.error.map(|error| error.code));
            assert_eq!(found, (outcome, exit_code, signal, code), "{hold:?}: {script}");
        }
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let long = "x".repeat(3_000_000);
    let cases: [(Task, &str, &str); 6] = [
        (exec(&["nothing-of-that-name"]), "process.not_found", "no program `nothing-of-that-name`"),
        (exec(&["/etc/passwd"]), "process.not_executable", "may not be executed"),
        (exec(&["echo", "a\0b"]), "process.nul_byte", "NUL"),
        (exec(&["echo", &long]), "process.too_large", "larger than the system takes"),
        (exec(&[]), "process.no_program", "argv is empty"),
        (
            Task::Run { script: "true".into(), shell: Some("no-such-shell".into()) },
            "process.not_found",
            "no-such-shell",
        ),
    ];
    for hold in BOTH {
        let bench = Bench::new(hold);
        for (task, code, message) in &cases {
            let (ended, _) = bench.perform(task, &attempt()).await;
            let error = ended.error.unwrap();
            assert_eq!((ended.outcome, error.code), (Outcome::Failed, *code), "{hold:?}");
            assert!(error.message.contains(message), "{}", error.message);
        }
        let mut nowhere = attempt();
        nowhere.working_dir = Some(bench.path("missing"));
        let (ended, _) = bench.perform(&sh("true"), &nowhere).await;
        assert_eq!(ended.error.unwrap().code, "process.working_dir");
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

#[tokio::test]
async fn a_process_sees_a_clean_environment_and_its_facts() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let mut attempt = attempt();
        attempt.fire_time = Some("2026-01-01T00:00:00.000Z".into());
        attempt.attempt = 2;
        attempt.traceparent = "00-11111111111111111111111111111111-2222222222222222-01".into();
        attempt.env = BTreeMap::from([("COLOR".into(), "blue".into())]);
        let (_, lines) = bench.perform(&exec(&["env"]), &attempt).await;
        let mut names: Vec<_> =
            texts(&lines, Stream::Stdout).iter().map(|pair| pair.split('=').next().unwrap()).collect();
        let inherited = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME"];
        names.retain(|name| !inherited.contains(name));
        names.sort_unstable();
        let facts = ["COLOR", "MS_ATTEMPT", "MS_FIRE_TIME", "MS_JOB", "MS_OUTPUT", "MS_RUN_ID", "TRACEPARENT"];
        assert_eq!(names, facts, "{hold:?}");
        let texts = texts(&lines, Stream::Stdout);
        for pair in
            ["MS_RUN_ID=0199-run", "MS_JOB=default/test", "MS_FIRE_TIME=2026-01-01T00:00:00.000Z", "MS_ATTEMPT=2"]
        {
            assert!(texts.contains(&pair), "{pair}");
        }
    }
}

/// The script injection corpus of XXL-JOB #3750 and its kin: a parameter stays one literal value.
#[tokio::test]
async fn parameters_are_never_read_as_code() {
    let bench = Bench::new(Hold::Leash);
    let corpus = [
        "; touch pwned",
        "$(touch pwned)",
        "`touch pwned`",
        "| touch pwned",
        "&& touch pwned",
        "\n touch pwned\n",
        "'\"; touch pwned #",
        "-rf",
        "--help",
        "$HOME",
        "${IFS}",
        "\\",
        "ünï\u{202e}cödé",
        "%s%n",
        "*",
        "\u{1b}[31m",
        "=x",
        " ",
    ];
    for value in corpus {
        let mut attempt = attempt();
        attempt.params = BTreeMap::from([("value".to_owned(), value.to_owned())]);
        let script = "printf 'value=%s' \"$MS_PARAM_VALUE\" | od -An -v -tx1 | tr -d ' \\n'; ls | wc -l";
        let (ended, lines) = bench.perform(&sh(script), &attempt).await;
        assert_eq!(ended.outcome, Outcome::Succeeded);
        let hex: String = format!("value={value}").bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(texts(&lines, Stream::Stdout), [format!("{hex}0")], "{value:?}");
    }
}

#[tokio::test]
async fn a_process_starts_alone_and_closed_off() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let script = "pwd; stat -c %a .; stat -c %a \"$MS_OUTPUT\"; ls /proc/self/fd | tr '\\n' ' '; echo; \
                      cat; ps -o pgid= -p $$ | tr -d ' '; echo $$; umask";
        let (ended, lines) = bench.run(script).await;
        let texts = texts(&lines, Stream::Stdout);
        let work = bench.path("work").canonicalize().unwrap();
        assert!(texts[0].starts_with(work.to_str().unwrap()), "{texts:?}");
        assert_eq!(texts[1..3], ["700", "600"], "{hold:?}");
        assert_eq!(texts[3], descriptors_of_a_plain_child(), "{hold:?}");
        assert_eq!(texts[4], texts[5], "it leads a group of its own");
        assert_eq!(ended.outcome, Outcome::Succeeded);
        assert_eq!(bench.leftovers(), [""; 0]);
    }
}

/// A worker ignores PIPE; a process must not, or `yes | head` never ends well.
#[tokio::test]
async fn a_process_does_not_inherit_that_pipe_is_ignored() {
    const PIPE: u64 = 1 << 12;
    for hold in BOTH {
        let bench = Bench::new(hold);
        let task = exec(&["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]);
        let (_, lines) = bench.perform(&task, &attempt()).await;
        for line in texts(&lines, Stream::Stdout) {
            let mask = u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap();
            assert_eq!(mask & PIPE, 0, "{hold:?}: {line}");
        }
        assert_eq!(lines.len(), 2);
    }
}

/// What any child of this process inherits, whoever started the tests; nothing of ours may come on top.
fn descriptors_of_a_plain_child() -> String {
    let found = Command::new("ls").arg("/proc/self/fd").stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    String::from_utf8(found.stdout).unwrap().replace('\n', " ")
}

#[tokio::test]
async fn a_given_folder_is_used_and_left_alone() {
    let bench = Bench::new(Hold::Leash);
    let mut attempt = attempt();
    attempt.working_dir = Some(bench.folder.path().to_owned());
    let (ended, _) = bench.perform(&sh("echo kept > report"), &attempt).await;
    assert_eq!(ended.outcome, Outcome::Succeeded);
    assert_eq!(fs::read_to_string(bench.path("report")).unwrap(), "kept\n");
}

#[tokio::test]
async fn a_script_longer_than_an_argument_runs() {
    let bench = Bench::new(Hold::Leash);
    let script = format!("# {}\necho \"$MS_JOB\"", "x".repeat(500_000));
    let (ended, lines) = bench.run(&script).await;
    assert_eq!((ended.outcome, texts(&lines, Stream::Stdout)), (Outcome::Succeeded, vec!["default/test"]));
}

#[tokio::test]
async fn output_comes_back_and_a_bad_one_fails_the_attempt() {
    let bench = Bench::new(Hold::Leash);
    let write = |text: &str| format!("printf '{text}' > \"$MS_OUTPUT\"");
    let big = "head -c 16777217 /dev/zero | tr '\\0' x > \"$MS_OUTPUT\"";
    let cases = [
        (write("a=1\\n{\"b\":[2]}\\n"), Outcome::Succeeded, Some(json!({"a": "1", "b": [2]})), None),
        (write("a=1\\n") + "; exit 1", Outcome::Failed, Some(json!({"a": "1"})), Some("process.exit")),
        (write("nonsense"), Outcome::Failed, None, Some("output.invalid")),
        (write("nonsense") + "; exit 1", Outcome::Failed, None, Some("process.exit")),
        (big.to_owned(), Outcome::Succeeded, None, Some("output.too_large")),
        (format!("{big}; exit 1"), Outcome::Failed, None, Some("process.exit")),
        ("rm \"$MS_OUTPUT\"; mkfifo \"$MS_OUTPUT\"".to_owned(), Outcome::Failed, None, Some("output.unreadable")),
    ];
    for (script, outcome, output, code) in cases {
        let (ended, _) = bench.run(&script).await;
        assert_eq!((ended.outcome, ended.output, ended.error.map(|e| e.code)), (outcome, output, code), "{script}");
    }
}

#[tokio::test]
async fn data_is_given_in_a_file_and_what_is_made_of_it_comes_back() {
    let bench = Bench::new(Hold::Leash);
    let change =
        r#"grep -q '"seen":1' "$MS_DATA" && printf '{"seen":2}' > "$MS_DATA.new" && mv "$MS_DATA.new" "$MS_DATA""#;
    let cases = [
        ("true".to_owned(), Outcome::Succeeded, None, None),
        (change.to_owned(), Outcome::Succeeded, Some(json!({"seen": 2})), None),
        (format!("{change}; exit 1"), Outcome::Failed, None, Some("process.exit")),
        (r#"echo nonsense > "$MS_DATA""#.to_owned(), Outcome::Failed, None, Some("data.invalid")),
        (r#"rm "$MS_DATA""#.to_owned(), Outcome::Failed, None, Some("data.unreadable")),
        (
            r#"printf '{}' > "$MS_DATA"; echo nonsense > "$MS_OUTPUT""#.to_owned(),
            Outcome::Failed,
            None,
            Some("output.invalid"),
        ),
    ];
    for (script, outcome, data, code) in cases {
        let attempt = Attempt { data: Some(json!({"seen": 1})), ..attempt() };
        let (ended, _) = bench.perform(&sh(&script), &attempt).await;
        assert_eq!((ended.outcome, ended.data, ended.error.map(|e| e.code)), (outcome, data, code), "{script}");
    }
    let (ended, _) = bench.run("test -z \"$MS_DATA\"").await;
    assert_eq!((ended.outcome, ended.data), (Outcome::Succeeded, None), "a job that keeps nothing");
}

#[tokio::test]
async fn a_timeout_ends_the_process_and_says_so() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let mut attempt = attempt();
        attempt.timeout = Some(Duration::from_millis(300));
        let (ended, lines) = bench.perform(&sh("sleep 600"), &attempt).await;
        assert_eq!((ended.outcome, ended.signal), (Outcome::TimedOut, Some(15)), "{hold:?}");
        assert_eq!(ended.error.unwrap().code, "process.timeout");
        assert_eq!(texts(&lines, Stream::System), ["timed out after 300ms; the process tree was ended"]);
    }
}

#[tokio::test]
async fn a_cancelled_process_may_finish_what_it_does() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let ready = bench.path("ready");
        let script =
            format!("trap 'echo tidied; exit 0' TERM; echo $$ > {}; while :; do sleep 0.01; done", ready.display());
        let cancel = async {
            pid_in(&ready).await;
        };
        let (ended, lines) = bench.perform_until(&sh(&script), &attempt(), cancel).await;
        assert_eq!((ended.outcome, ended.exit_code), (Outcome::Cancelled, Some(0)), "{hold:?}");
        assert_eq!(texts(&lines, Stream::Stdout), ["tidied"]);
    }
}

/// To many programs a second TERM means "at once".
#[tokio::test]
async fn each_process_is_told_once_wherever_it_is() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let wait = |name: &str, linger: &str| {
            let path = bench.path(name).display().to_string();
            format!(
                "trap 'echo told {name}; ended=1' TERM; echo $$ > {path}; while [ -z \"$ended\" ]; do sleep 0.01; done; sleep {linger}"
            )
        };
        fs::write(bench.path("script"), wait("away", "0.5")).unwrap();
        let script = format!("setsid sh {} & {}", bench.path("script").display(), wait("main", "0"));
        let cancel = async {
            pid_in(&bench.path("away")).await;
            pid_in(&bench.path("main")).await;
        };
        let (ended, lines) = bench.perform_until(&sh(&script), &attempt(), cancel).await;
        let mut told = texts(&lines, Stream::Stdout);
        told.sort_unstable();
        assert_eq!((ended.outcome, told), (Outcome::Cancelled, vec!["told away", "told main"]), "{hold:?}");
    }
}

#[tokio::test]
async fn what_ignores_term_gets_kill_after_the_grace() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let ready = bench.path("ready");
        let script = format!("trap '' TERM; echo $$ > {}; while :; do sleep 0.01; done", ready.display());
        let mut attempt = attempt();
        attempt.kill_grace = Duration::from_millis(200);
        let begun = Instant::now();
        let cancel = async {
            pid_in(&ready).await;
        };
        let (ended, _) = bench.perform_until(&sh(&script), &attempt, cancel).await;
        assert_eq!((ended.outcome, ended.signal), (Outcome::Cancelled, Some(9)), "{hold:?}");
        assert!(begun.elapsed() >= Duration::from_millis(200));
    }
}

/// Ways to outlive a group kill: background, own session, daemon, stopped, deaf to TERM.
fn escapes(dir: &std::path::Path) -> Vec<(&'static str, String)> {
    let file = |name: &str| dir.join(name).display().to_string();
    vec![
        (
            "background",
            format!(
                "(echo $(exec sh -c 'echo $PPID') > {0}.tmp; mv {0}.tmp {0}; exec sleep 600) &",
                file("background")
            ),
        ),
        ("session", format!("setsid sh -c 'echo $$ > {}; exec sleep 600' &", file("session"))),
        (
            "daemon",
            format!(
                "setsid sh -c '(echo $$ > /dev/null; setsid sh -c \"echo \\$\\$ > {}; exec sleep 600\" &) ; exit 0'",
                file("daemon")
            ),
        ),
        (
            "deaf",
            format!("setsid sh -c 'trap \"\" TERM HUP; echo $$ > {}; while :; do sleep 0.05; done' &", file("deaf")),
        ),
        ("stopped", format!("setsid sh -c 'echo $$ > {}; kill -STOP $$; sleep 600' &", file("stopped"))),
    ]
}

#[tokio::test]
async fn nothing_of_the_tree_survives_however_it_ends() {
    for hold in BOTH {
        for end in ["normal", "cancel"] {
            let bench = Bench::new(hold);
            let escapes = escapes(bench.folder.path());
            let script: String = escapes.iter().map(|(_, line)| format!("{line}\n")).collect();
            let gate = bench.path("gate");
            let script = match end {
                "normal" => format!("{script} while [ ! -e {} ]; do sleep 0.02; done; echo done", gate.display()),
                _ => format!("{script} sleep 600"),
            };
            let mut attempt = attempt();
            attempt.kill_grace = Duration::from_secs(1);
            let mut pids = Vec::new();
            let all_there = async {
                for (name, _) in &escapes {
                    pids.push((*name, pid_in(&bench.path(name)).await));
                }
                fs::write(&gate, "").unwrap();
                if end == "normal" {
                    std::future::pending::<()>().await;
                }
            };
            let (ended, _) = bench.perform_until(&sh(&script), &attempt, all_there).await;
            let expected = if end == "normal" { Outcome::Succeeded } else { Outcome::Cancelled };
            assert_eq!(ended.outcome, expected, "{hold:?} {end}");
            for (name, pid) in pids {
                assert!(!is_alive(pid), "{name} survived ({hold:?}, {end})");
            }
            assert_eq!(bench.leftovers(), [""; 0]);
        }
    }
}

#[tokio::test]
async fn what_a_finished_program_leaves_running_goes_on_and_is_named() {
    for hold in BOTH {
        for leftovers in [Leftovers::Warn, Leftovers::Keep] {
            let bench = Bench::new(hold);
            let (pid, go, over) = (bench.path("pid"), bench.path("go"), bench.path("over"));
            // It prints after the end: nobody reads that any more, and it must not end it.
            let script = format!(
                "nohup setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; until [ -e {1} ]; do sleep 0.02; done; echo late; echo > {2}' &
                 while [ ! -e {0} ]; do sleep 0.01; done; echo done",
                pid.display(),
                go.display(),
                over.display()
            );
            let attempt = Attempt { leftovers, ..attempt() };
            let (ended, lines) = bench.perform(&sh(&script), &attempt).await;
            assert_eq!(ended.outcome, Outcome::Succeeded, "{hold:?}");
            let pid = pid_in(&pid).await;
            assert!(is_alive(pid), "{hold:?}");
            assert_eq!(texts(&lines, Stream::Stdout), ["done"]);
            let said = texts(&lines, Stream::System);
            match leftovers {
                Leftovers::Warn => {
                    // Its `sleep` may be named, too.
                    let named = format!("process {pid} was left running in the background: sh -c echo");
                    assert!(said.iter().any(|line| line.starts_with(&named)), "{said:?}");
                    assert!(said.last().unwrap().contains("`leftovers: kill`"), "{said:?}");
                }
                _ => assert_eq!(said, [""; 0], "{hold:?}"),
            }
            fs::write(&go, "").unwrap();
            wait_for("it goes on although it prints", || over.exists().then_some(())).await;
        }
    }
}

#[tokio::test]
async fn what_ends_right_after_its_program_is_no_leftover() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let attempt = Attempt { leftovers: Leftovers::Warn, ..attempt() };
        let (ended, lines) = bench.perform(&sh("true & true &"), &attempt).await;
        assert_eq!((ended.outcome, texts(&lines, Stream::System)), (Outcome::Succeeded, vec![]), "{hold:?}");
    }
}

#[tokio::test]
async fn what_a_program_left_running_is_ended_on_cancel_and_time_out_whatever_is_said() {
    for hold in BOTH {
        for cancels in [false, true] {
            let bench = Bench::new(hold);
            let file = bench.path("pid");
            let script =
                format!("setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600' & sleep 600", file.display());
            let timeout = (!cancels).then_some(Duration::from_secs(2));
            let attempt = Attempt { leftovers: Leftovers::Keep, timeout, ..attempt() };
            let there = async {
                pid_in(&file).await;
                if !cancels {
                    std::future::pending::<()>().await;
                }
            };
            let (ended, _) = bench.perform_until(&sh(&script), &attempt, there).await;
            let expected = if cancels { Outcome::Cancelled } else { Outcome::TimedOut };
            assert_eq!(ended.outcome, expected, "{hold:?}");
            assert!(!is_alive(pid_in(&file).await), "{hold:?} {cancels}");
        }
    }
}

/// Only the leash finds what left the group, lost its parents and cleaned its environment.
#[tokio::test]
async fn a_daemon_with_a_clean_environment_does_not_slip_the_leash() {
    let bench = Bench::new(Hold::Leash);
    let pid_file = bench.path("pid");
    let script = format!(
        "(env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > {0}; exec sleep 600' > /dev/null 2>&1 &); while [ ! -s {0} ]; do sleep 0.02; done",
        pid_file.display()
    );
    let (ended, _) = bench.run(&script).await;
    assert_eq!(ended.outcome, Outcome::Succeeded);
    assert!(!is_alive(pid_in(&pid_file).await));
}

#[tokio::test]
async fn a_fork_storm_is_ended() {
    let bench = Bench::new(Hold::Leash);
    let mut attempt = attempt();
    attempt.timeout = Some(Duration::from_millis(500));
    attempt.kill_grace = Duration::from_millis(100);
    // Bounded in depth, not in time: each process starts two more after it has slept.
    let script = "trap '' TERM; storm() { sleep 0.1; [ \"$1\" -gt 0 ] && { storm $(($1-1)) & storm $(($1-1)) & }; sleep 600; }; storm 8";
    let (ended, _) = bench.perform(&sh(script), &attempt).await;
    assert_eq!(ended.outcome, Outcome::TimedOut);
    let runs = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        fs::read(entry.path().join("environ"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(bench.folder.path().to_str().unwrap()))
    });
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a_dropped_attempt_takes_its_processes_along() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let pid_file = bench.path("pid");
        let script = format!("echo $$ > {}; sleep 600", pid_file.display());
        let (task, attempt) = (sh(&script), attempt());
        let pid = tokio::select! {
            _ = bench.perform(&task, &attempt) => panic!("it sleeps"),
            pid = pid_in(&pid_file) => pid,
        };
        wait_for("the process to end", || (!is_alive(pid)).then_some(())).await;
    }
}

#[tokio::test]
async fn many_attempts_run_side_by_side() {
    let bench = std::sync::Arc::new(Bench::new(Hold::Leash));
    let attempts: Vec<_> = (0..20)
        .map(|number| {
            let bench = bench.clone();
            tokio::spawn(
                async move { (number, bench.run(&format!("echo {number} > file; cat file; exit {number}")).await) },
            )
        })
        .collect();
    for attempt in attempts {
        let (number, (ended, lines)) = attempt.await.unwrap();
        assert_eq!(ended.exit_code, Some(number));
        assert_eq!(texts(&lines, Stream::Stdout), [number.to_string()]);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn unusable_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut no_leash = settings(Hold::Leash, folder.path());
    no_leash.leash = Some(folder.path().join("missing"));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut tiny = settings(Hold::Bare, folder.path());
    tiny.log.line_bytes_max = 1;
    for (settings, text) in [
        (no_leash, "the leash program"),
        (settings(Hold::Bare, &file), "could not use the folder"),
        (tiny, "log.line_bytes_max must be at least 16"),
    ] {
        let error = TaskRunner::new(settings).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[tokio::test]
async fn a_process_waits_while_files_are_scarce() {
    let bench = Bench::with(Hold::Bare, |settings| settings.files = Some(6));
    let (ready, go) = (bench.path("ready"), bench.path("go"));
    let first = sh(&format!("echo $$ > {}; until [ -e {} ]; do sleep 0.01; done", ready.display(), go.display()));
    let (second, plain) = (sh("echo second"), attempt());
    let cancelled = async {
        pid_in(&ready).await;
        let (ended, lines) = bench.perform_until(&second, &plain, async {}).await;
        assert_eq!(ended.outcome, Outcome::Cancelled, "it does not start, and can be cancelled");
        let said = texts(&lines, Stream::System);
        assert!(said[0].starts_with("waiting: this process may open no more files"), "{said:?}");
        assert!(texts(&lines, Stream::Stdout).is_empty());
    };
    let limit = Attempt { timeout: Some(Duration::from_secs(60)), ..attempt() };
    let waits = async {
        cancelled.await;
        let first_ends = async { fs::write(&go, "").unwrap() };
        tokio::join!(bench.perform(&second, &limit), first_ends).0
    };
    let ((before, _), (after, lines)) = tokio::join!(bench.perform(&first, &plain), waits);
    assert_eq!((before.outcome, after.outcome), (Outcome::Succeeded, Outcome::Succeeded));
    assert_eq!(texts(&lines, Stream::Stdout), ["second"]);
}
