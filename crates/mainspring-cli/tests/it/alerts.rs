//! Alerts from the command line, and mail to a server that nobody here has written: aiosmtpd, installed into the target folder. Where
//! there is no Python 3, or nothing to install it from, that test says so and does nothing.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use mainspring_rig::Node;
use serde_json::Value;

use crate::program::{Ended, Program};
use crate::wait;
use crate::xxl::python;

const VERSION: &str = "1.4.6";
/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The mail server. It ends with the test.
struct Mail {
    process: Child,
    lines: mpsc::Receiver<String>,
}

impl Drop for Mail {
    fn drop(&mut self) {
        // It may be dead already.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Mail {
    fn start(python: &Path, home: &Path, port: u16, answer: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/smtp.py");
        let mut process = Command::new(python)
            .arg(script)
            .arg(port.to_string())
            .args([home.join("cert.pem"), home.join("key.pem")])
            .arg(answer)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = process.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mail = Self { process, lines };
        assert_eq!(mail.next(), "ready");
        mail
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the mail server says something")
    }

    /// The next message: with its parts decoded as far as the test looks at them.
    fn message(&self) -> Value {
        serde_json::from_str(&self.next()).unwrap()
    }
}

fn serve(program: &Program, certificate: &Path) -> Node {
    let arguments =
        ["server", "--data", "data", "--listen", "127.0.0.1:0", "--log", "error", "--allow-outbound", "loopback"];
    let mut command = program.command(&[&arguments[..], &["--public-url", "https://jobs.example"]].concat());
    command.env("SSL_CERT_FILE", certificate).env("MAINSPRING_SECRET_SMTP", "s3cret");
    Node::start(command).unwrap()
}

fn asked(program: &Program, server: &Node, arguments: &[&str]) -> Ended {
    let token = program.home().join("data/token");
    let to = ["--server", &*server.url, "--token-file", token.to_str().unwrap()];
    program.run(&[arguments, &to].concat())
}

fn done(ended: Ended) -> Ended {
    assert_eq!(ended.code, 0, "{ended:?}");
    ended
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

const JOB: &str = "
name: payroll
run: |
  echo reading the accounts
  echo no space left on /var/pay
  exit 3
alerts:
  - failed: true
    late: 10m
    channels: [mail]
";

#[test]
fn mail_of_a_failure_arrives_although_the_server_is_killed_before_it_is_sent() {
    let python = match python::installed("aiosmtpd", VERSION) {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("skipped, because aiosmtpd {VERSION} is not at hand: {reason}");
            return;
        }
    };
    let program = Program::new();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    program.file("cert.pem", made.cert.pem());
    program.file("key.pem", made.signing_key.serialize_pem());
    let certificate = program.home().join("cert.pem");
    let port = free_port();
    let channel = |more: &str| {
        format!(
            "name: mail\nemail:\n  server: localhost\n  port: {port}\n  from: Jobs <jobs@example.org>\n  to: [night@example.org]\n{more}"
        )
    };
    let signed = channel("  username: jobs\n  password: {env: SMTP}\n");
    let server = serve(&program, &certificate);
    let job = program.file("payroll.yaml", JOB);
    let early = asked(&program, &server, &["apply", "-f", &job]);
    assert!(early.code != 0 && early.stderr.contains("alert.channel_unknown"), "{early:?}");
    let file = program.file("mail.yaml", &signed);
    done(asked(&program, &server, &["alert", "channel", "apply", "-f", &file]));
    done(asked(&program, &server, &["apply", "-f", &job]));
    let refused = asked(&program, &server, &["alert", "channel", "test", "mail"]);
    assert!(refused.code != 0 && refused.stderr.contains("error[alert.smtp]"), "nobody listens: {refused:?}");

    // The run fails, and the mail server does not listen: the message is there, and was not sent.
    let failed = asked(&program, &server, &["run", "start", "payroll", "--wait"]);
    assert_eq!(failed.code, 7, "{failed:?}");
    wait::blocking("the message", || {
        let shown = asked(&program, &server, &["alert", "deliveries", "--channel", "mail", "-o", "json"]);
        if shown.stdout.contains("\"opened\"") { Ok(()) } else { Err(shown) }
    });
    server.kill().unwrap();

    let mail = Mail::start(&python, program.home(), port, "250 taken");
    let server = serve(&program, &certificate);
    let message = mail.message();
    assert_eq!((&message["encrypted"], &message["from"]), (&true.into(), &"jobs@example.org".into()));
    assert_eq!(message["to"], serde_json::json!(["night@example.org"]));
    let data = message["data"].as_str().unwrap();
    for part in [
        "Subject: [mainspring] default/payroll: run failed",
        "multipart/alternative",
        "no space left on /var/pay",
        "Exit: 3",
        "https://jobs.example/runs/",
        "mainspring run why ",
        "<table>",
    ] {
        assert!(data.replace("=\r\n", "").replace("\r\n ", " ").contains(part), "{part}: {data}");
    }
    wait::blocking("the delivery", || {
        let shown = asked(&program, &server, &["alert", "deliveries", "--channel", "mail", "-o", "json"]);
        if shown.stdout.contains("\"delivered\"") { Ok(()) } else { Err(shown) }
    });
    let open = done(asked(&program, &server, &["alert", "list"]));
    assert!(open.stdout.contains("default/payroll") && open.stdout.contains("failed"), "{open:?}");
    done(asked(&program, &server, &["alert", "channel", "test", "mail"]));
    assert!(mail.message()["data"].as_str().unwrap().contains("test of the channel mail"));

    let wrong = program.file("wrong.yaml", channel("  username: jobs\n  password: wrong\n"));
    done(asked(&program, &server, &["alert", "channel", "apply", "-f", &wrong]));
    let refused = asked(&program, &server, &["alert", "channel", "test", "mail"]);
    assert!(refused.stderr.contains("error[alert.smtp]") && refused.stderr.contains("535"), "{refused:?}");
    let shown = done(asked(&program, &server, &["alert", "channel", "get", "mail"]));
    assert!(shown.stdout.contains("***") && !shown.stdout.contains("wrong"), "{shown:?}");
    drop(mail);
    let full = Mail::start(&python, program.home(), port, "552 the box is full");
    done(asked(&program, &server, &["alert", "channel", "apply", "-f", &file]));
    let refused = asked(&program, &server, &["alert", "channel", "test", "mail"]);
    assert!(refused.stderr.contains("552") && refused.stderr.contains("the box is full"), "{refused:?}");
    drop(full);
    assert_eq!(server.stop().unwrap().0.code(), Some(0));
}
