//! What commands say when there is no server, or not the one that was meant.

use std::net::TcpListener;

use crate::live::Live;
use crate::program::Program;

#[test]
fn without_a_server_commands_exit_6_and_say_how_to_start_one() {
    let program = Program::new();
    for arguments in [&["job", "list"][..], &["next"], &["run", "list"], &["logs", "a"], &["export"]] {
        let ended = program.run(arguments);
        assert_eq!(ended.code, 6, "{arguments:?}: {ended:?}");
        assert!(ended.stderr.starts_with("error[server.none]: "), "{}", ended.stderr);
        assert!(ended.stderr.contains("hint: start one: mainspring dev"), "{}", ended.stderr);
    }
}

#[test]
fn a_server_that_is_gone_exits_6_with_its_address() {
    let program = Program::new();
    let token = program.file("token", "secret\n");
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}");
    let ended = program.run(&["job", "list", "--server", &url, "--token-file", &token]);
    assert_eq!(ended.code, 6, "{ended:?}");
    assert!(ended.stderr.starts_with("error[server.unreachable]: "), "{}", ended.stderr);
    assert!(ended.stderr.contains(&address.to_string()), "{}", ended.stderr);
    assert!(ended.stderr.contains("this address is from --server; no other server was tried"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("mainspring dev"), "{}", ended.stderr);

    let mut command = program.command(&["job", "list"]);
    command.env("MAINSPRING_SERVER", &url).env("MAINSPRING_TOKEN_FILE", &token);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(said.contains("this address is from MAINSPRING_SERVER"), "{said}");
}

#[test]
fn a_token_file_that_others_may_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    let token = program.file("token", "secret\n");
    let asked = |mode: u32, more: &[&str]| {
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(mode)).unwrap();
        let arguments = ["job", "list", "--server", "http://127.0.0.1:9", "--token-file", &token];
        program.run(&[&arguments[..], more].concat()).stderr
    };
    for mode in [0o644, 0o640, 0o602] {
        let said = asked(mode, &[]);
        assert!(
            said.contains(&format!("warning[secret.readable]: others may read {token}, which holds a secret")),
            "{said}"
        );
        assert!(said.contains(&format!("hint: chmod 600 {token}")), "{said}");
    }
    assert!(!asked(0o600, &[]).contains("warning"));
    assert!(!asked(0o644, &["--quiet"]).contains("warning"));
}

#[test]
fn files_of_secrets_that_others_may_read_are_named_by_whoever_reads_them() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    let open = |name: &str, text: &str| {
        let path = program.file(name, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        path
    };
    let (token, scripts) = (open("token", &"t".repeat(32)), open("scripts", &"s".repeat(32)));
    let (smtp, old) = (open("data/secrets/smtp", "password"), open("old", "password"));
    let server = ["server", "--data", "data", "--token-file", &token, "--script-token-file", &scripts];
    let live = Live::start_with(&program, &server);
    let channel = r#"{"name": "mail", "email": {"server": "127.0.0.1:9", "username": "jobs", "password": {"file": "smtp"},
        "from": "jobs@example.org", "to": ["night@example.org"]}}"#;
    let channel = program.file("mail.json", channel);
    assert_eq!(program.run(&["alert", "channel", "apply", "-f", &channel]).code, 0);
    (0..2).for_each(|_| _ = program.run(&["alert", "channel", "test", "mail"]));
    let doctor = program.run(&["doctor"]).stdout;
    assert!(doctor.contains(&format!("others may read {smtp}")), "{doctor}");
    let made = program.run(&["xxl", "app", "create", "mail", "--app-token-file", &old]);
    assert!(made.stderr.contains(&format!("warning[secret.readable]: others may read {old}")), "{made:?}");
    let from = ["import", "xxl-job", "mysql://a@127.0.0.1:9/x", "--password-file", &old, "--dry-run"];
    let read = program.run(&from);
    assert!(read.stderr.contains(&format!("warning[secret.readable]: others may read {old}")), "{read:?}");
    let (_, said) = live.stop();
    for file in [&*token, &*scripts, "data/secrets/smtp"] {
        let words = format!("others may read {file}, which holds a secret");
        assert_eq!(said.matches(&words).count(), 1, "once each: {said}");
    }

    // The one that the server made, and somebody opened.
    let program = Program::new();
    Live::start(&program).stop();
    let own = program.home().join("data/token");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (_, said) = Live::start(&program).stop();
    assert!(said.contains("data/token, which holds a secret") && said.contains("chmod 600"), "{said}");
}

#[test]
fn a_named_server_without_a_token_exits_5() {
    let ended = Program::new().run(&["job", "list", "--server", "http://127.0.0.1:9"]);
    assert_eq!(ended.code, 5, "{ended:?}");
    assert!(ended.stderr.contains("--token-file"), "{}", ended.stderr);
}

#[test]
fn a_token_is_not_sent_in_the_clear_to_another_machine() {
    let program = Program::new();
    let token = program.file("token", "secret\n");
    let arguments = ["job", "list", "--server", "http://192.0.2.7:7070", "--token-file", &token];
    let ended = program.run(&arguments);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("--allow-plain-http"), "{}", ended.stderr);
}

#[test]
fn broken_files_are_told_before_anything_is_sent() {
    let program = Program::new();
    let token = program.file("token", "secret\n");
    program.file("a.yaml", "name: a\nrnu: date\n");
    for command in ["apply", "diff"] {
        let arguments = [command, "-f", "a.yaml", "--server", "http://127.0.0.1:9", "--token-file", &token];
        let ended = program.run(&arguments);
        assert_eq!(ended.code, 9, "{command}: {ended:?}");
        assert!(ended.stderr.contains("a.yaml:2:1"), "{}", ended.stderr);
    }
}
