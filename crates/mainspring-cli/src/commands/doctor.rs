//! `mainspring doctor`.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use mainspring_api::{Repaired, ServerInfo, StoreWarning, Timestamp};
use serde::Serialize;

use crate::connect::{self, ConnectArgs, Session};
use crate::discovery;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Cell, Column, Output, View, counted, state};

/// Clocks further apart than this make times hard to read together.
const CLOCK_WARNING_MS: i64 = 500;

/// Look at this machine, the server and the way between them, and say what to mend
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring doctor
  mainspring doctor --repair
  mainspring doctor --server http://10.0.0.7:7070 --token-file token -o json")]
pub struct DoctorArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Also recount what live workflow runs wait for, and tell them of ends of tasks that they have not heard of
    #[arg(long)]
    repair: bool,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Ok,
    Warning,
    Error,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

const VIEW: View<Finding> = View {
    columns: &[
        Column::usual("CHECK", |it, _| Cell::new(it.check)),
        Column::usual("VERDICT", |it, _| state(it.verdict.as_str())),
        Column::usual("DETAIL", |it, _| Cell::new(&it.detail)),
        Column::usual("HINT", |it, _| Cell::new(it.hint.as_deref().unwrap_or(""))),
    ],
    name: |it| it.check.to_owned(),
    empty: "",
};

/// Looks at everything, shows it, and fails when something is wrong.
///
/// # Errors
/// Exit 1 when a verdict is `error`.
pub fn run(args: &DoctorArgs, output: &Output) -> Result {
    let mut findings = vec![zone_data()];
    findings.extend(registered());
    findings.extend(server(args));
    output.list(&findings, &VIEW)?;
    match findings.iter().any(|it| it.verdict == Verdict::Error) {
        true => Err(Error::silent(Exit::Failure)),
        false => Ok(()),
    }
}

fn finding(check: &'static str, verdict: Verdict, detail: impl Into<String>) -> Finding {
    Finding { check, verdict, detail: detail.into(), hint: None }
}

/// A finding made of an error: its message, and its first hint.
fn failed(check: &'static str, error: &Error) -> Finding {
    let report = error.reports.first();
    Finding {
        hint: report.and_then(|report| report.hints.first().cloned()),
        ..finding(check, Verdict::Error, report.map(|report| report.message.clone()).unwrap_or_default())
    }
}

fn zone_data() -> Finding {
    let zone = jiff::tz::TimeZone::system();
    let detail = format!(
        "tzdata {} built in, local zone {}",
        mainspring_schedule::tzdata_version(),
        zone.iana_name().unwrap_or("without a name")
    );
    finding("time zones", Verdict::Ok, detail)
}

/// Looks at the servers that this user runs on this machine, and at the rights of their files.
fn registered() -> Vec<Finding> {
    let Some(folder) = discovery::folder() else {
        let detail = "this user has no home folder, so servers cannot be found by themselves";
        return vec![finding("discovery", Verdict::Warning, detail)];
    };
    let mut findings = Vec::new();
    for registration in discovery::registrations(&folder) {
        let url = registration.url();
        if !registration.answers() {
            let detail = format!("{url} is registered (process {}) and does not answer", registration.pid);
            findings.push(Finding {
                hint: Some("it was killed; the next start there cleans up".to_owned()),
                ..finding("discovery", Verdict::Warning, detail)
            });
            continue;
        }
        findings.push(finding("discovery", Verdict::Ok, format!("{url} runs here")));
        findings.push(rights("token file", &registration.token_file));
        let secrets = registration.data.map(|data| data.join("secrets"));
        let secrets = secrets.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        findings.extend(secrets.map(|entry| rights("secret file", &entry.path())));
    }
    findings
}

/// Looks at the rights of a file that holds a secret.
fn rights(check: &'static str, file: &Path) -> Finding {
    let shown = file.display();
    if let Err(error) = std::fs::metadata(file) {
        return finding(check, Verdict::Error, format!("cannot look at {shown}: {error}"));
    }
    match mainspring_server::open_to_others(file) {
        None => finding(check, Verdict::Ok, format!("{shown} is private")),
        Some(mode) => Finding {
            hint: Some(format!("chmod 600 {shown}")),
            ..finding(check, Verdict::Error, format!("others may read {shown} (mode {mode:o})"))
        },
    }
}

/// Looks at the server that commands would talk to.
fn server(args: &DoctorArgs) -> Vec<Finding> {
    let session = match args.connect.open() {
        Ok(session) => session,
        Err(error) => return vec![failed("server", &error)],
    };
    let asked_at = Instant::now();
    let before = jiff::Timestamp::now();
    let info = match connect::block_on(session.ask(session.client.info())) {
        Ok(info) => info,
        Err(error) => return vec![failed("server", &error)],
    };
    let took_ms = i64::try_from(asked_at.elapsed().as_millis()).unwrap_or(i64::MAX);
    let middle = Timestamp::from_millis(before.as_millisecond() + took_ms / 2);
    let mut findings = vec![answered(&info, took_ms), version(&info)];
    if args.repair {
        findings.push(repaired(&session));
    }
    findings.push(clock(&info, middle, took_ms));
    findings.extend(info.warnings.iter().map(warned));
    findings.extend(ready(&session));
    findings
}

fn answered(info: &ServerInfo, took_ms: i64) -> Finding {
    let detail = format!("mainspring {} on {} answers in {took_ms} ms, token accepted", info.version, info.store);
    finding("server", Verdict::Ok, detail)
}

/// Has the server mend what it can.
fn repaired(session: &Session) -> Finding {
    match connect::block_on(session.ask(session.client.repair())) {
        Ok(Repaired { workflow_ends: 0 }) => {
            finding("workflows", Verdict::Ok, "recounted: no live run waits for a task that has ended")
        }
        Ok(Repaired { workflow_ends }) => {
            let ends = counted(usize::try_from(workflow_ends).unwrap_or(usize::MAX), "end");
            let detail = format!("repaired: live runs were told of {ends} of tasks that they had not heard of");
            let hint = Some("tell the makers: this is a bug".to_owned());
            Finding { hint, ..finding("workflows", Verdict::Warning, detail) }
        }
        Err(error) => failed("workflows", &error),
    }
}

/// What the server says of its store.
fn warned(warning: &StoreWarning) -> Finding {
    let detail = format!("{}: {}", warning.code, warning.message);
    Finding { hint: Some(warning.hint.clone()), ..finding("store", Verdict::Warning, detail) }
}

/// One minor version apart is what an upgrade looks like; more is asking for trouble.
fn version(info: &ServerInfo) -> Finding {
    let mine = env!("CARGO_PKG_VERSION");
    if minors_apart(mine, &info.version) <= 1 {
        return finding("version", Verdict::Ok, format!("client {mine}, server {}", info.version));
    }
    Finding {
        hint: Some("use the same version on both sides".to_owned()),
        ..finding("version", Verdict::Warning, format!("client {mine} and server {} are far apart", info.version))
    }
}

fn minors_apart(a: &str, b: &str) -> u64 {
    let numbers = |text: &str| -> Option<(u64, u64)> {
        let mut parts = text.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    match (numbers(a), numbers(b)) {
        (Some((major_a, a)), Some((major_b, b))) if major_a == major_b => a.abs_diff(b),
        _ => u64::MAX,
    }
}

fn clock(info: &ServerInfo, middle: Timestamp, took_ms: i64) -> Finding {
    let offset_ms = info.now.as_millis() - middle.as_millis();
    let verdict = if offset_ms.abs() > CLOCK_WARNING_MS.max(took_ms) { Verdict::Warning } else { Verdict::Ok };
    let detail = format!("the server's clock minus this one: {offset_ms} ms (± {} ms)", took_ms / 2);
    Finding {
        hint: (verdict != Verdict::Ok).then(|| "synchronise both by NTP".to_owned()),
        ..finding("clock", verdict, detail)
    }
}

fn ready(session: &Session) -> Vec<Finding> {
    match connect::block_on(session.ask(session.client.readyz())) {
        Ok(health) => health
            .checks
            .into_iter()
            .map(|check| {
                let verdict = if check.ok { Verdict::Ok } else { Verdict::Error };
                let message = check.message.unwrap_or_else(|| "well".to_owned());
                finding("readiness", verdict, format!("{}: {message}", check.name))
            })
            .collect(),
        Err(error) => vec![failed("readiness", &error)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_more_than_one_minor_apart_are_told() {
        let cases = [
            ("0.1.0", "0.1.7", 0),
            ("0.1.0", "0.2.0", 1),
            ("0.4.0", "0.1.0", 3),
            ("0.1.0", "1.1.0", u64::MAX),
            ("0.1.0", "nonsense", u64::MAX),
        ];
        for (a, b, expected) in cases {
            assert_eq!(minors_apart(a, b), expected, "{a} {b}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_token_file_that_others_may_read_is_an_error() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "secret").unwrap();
        for (mode, expected) in [(0o600, Verdict::Ok), (0o644, Verdict::Error)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(rights("token file", &file).verdict, expected);
        }
    }
}
