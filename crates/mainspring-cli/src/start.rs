//! Starting a run by hand: `mainspring run start` and `mainspring job run`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use mainspring_api::{Job, LogFilter, LogLine, ParamType, Run, RunNow};
use mainspring_tasks::{Altered, altered};
use serde_json::Value;

use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::follow::{self, LineStyle};
use crate::input;
use crate::name::JobName;
use crate::output::Output;
use crate::views::RUN;
use crate::wait::{self, WaitArgs};

/// What to start, and whether to wait.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring run start hello -p who=world --wait
  mainspring run start nightly-backup --follow
  mainspring run start report --input @input.json")]
pub struct StartArgs {
    /// JOB or NAMESPACE/JOB
    #[arg(value_name = "JOB")]
    job: JobName,
    /// Set a parameter; may be given several times
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    params: Vec<(String, String)>,
    /// Input in place of the job's, or laid over it where both are mappings: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// Priority within the queue, in place of the job's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Wait for the end; the exit code mirrors it
    #[arg(short, long)]
    wait: bool,
    /// Show the log until the end; the exit code mirrors it
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    wait_args: WaitArgs,
}

/// Starts the run, and waits when asked to.
///
/// # Errors
/// `cli.usage` for a parameter given twice; whatever the server reports, such as `param.unknown` for parameters that do not fit the job; exit 7 or 8 with `--wait` and `--follow`.
pub async fn start(session: &Session, args: &StartArgs, output: &Output) -> Result {
    let namespace = args.job.namespace(&session.namespace);
    let mut names = BTreeSet::new();
    if let Some((name, _)) = args.params.iter().find(|(name, _)| !names.insert(name)) {
        return Err(Error::usage(format!("parameter {name:?} is given twice")));
    }
    let params = match args.params.as_slice() {
        [] => BTreeMap::new(),
        given => {
            let job = session.ask(session.client.job(namespace, &args.job.job)).await?;
            typed(given, &job)?
        }
    };
    let request = RunNow {
        input: args.input.as_deref().map(|text| input::json("--input", text)).transpose()?,
        params,
        priority: args.priority,
        reason: args.reason.clone(),
    };
    let started = session.client.run_job(namespace, &args.job.job, &request);
    let run = session.ask(started).await?;
    if args.follow {
        output.hint(format_args!("run {} of {}; Ctrl-C leaves it running", run.id, run.job));
        let show = |line: &LogLine| follow::line(line, LineStyle::default(), output);
        let run = follow::follow(session, &run.id, LogFilter::default(), show).await?;
        return wait::mirror(&run);
    }
    if args.wait {
        return ended(session, &run, &args.wait_args, output).await;
    }
    output.done(&run, &RUN, format_args!("started run {} of {}", run.id, run.job))?;
    output.hint(format_args!("follow it: mainspring logs -f {}", run.id));
    Ok(())
}

async fn ended(session: &Session, run: &Run, args: &WaitArgs, output: &Output) -> Result {
    let run = wait::until_final(session, &run.id, args.deadline(), output).await?;
    output.one(&run, &RUN)?;
    wait::mirror(&run)
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    match name.is_empty() {
        true => Err("expected NAME=VALUE".to_owned()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}

/// Reads each value as the type that the job declares; without one it stays the text that was typed. What does not fit
/// is for the server to refuse.
fn typed(given: &[(String, String)], job: &Job) -> Result<BTreeMap<String, Value>> {
    given.iter().map(|(name, text)| Ok((name.clone(), typed_value(name, text, job)?))).collect()
}

fn typed_value(name: &str, text: &str, job: &Job) -> Result<Value> {
    let param = job.spec.params.get(name);
    let typed = match param.and_then(|param| param.kind) {
        Some(ParamType::String) => None,
        Some(_) => serde_json::from_str(text).ok(),
        // Of the values that a parameter without a type allows, the text may be one.
        None => param.and_then(|param| serde_json::from_str(text).ok().filter(|value| param.values.contains(value))),
    };
    let Some(value) = typed.filter(|value: &Value| !value.is_null()) else { return Ok(Value::from(text)) };
    match altered(text.as_bytes()) {
        Some(found @ Altered::Number(_)) if value.is_number() => {
            let report = Report::new("param.number", format!("parameter {name:?}: {found}"));
            Err(Error::new(Exit::Invalid, report.hint("declare the parameter as a string")))
        }
        Some(found @ Altered::Key(_)) => {
            let report = Report::new("param.duplicate_key", format!("parameter {name:?}: {found}"));
            Err(Error::new(Exit::Invalid, report.hint(found.hint())))
        }
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(params: &str) -> Job {
        serde_json::from_str(&format!(
            r#"{{"id": "1", "namespace": "default", "name": "etl", "version": 1, "paused": false, "active_runs": 0,
                "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
                "spec": {{"name": "etl", "noop": true, "params": {params}}}}}"#
        ))
        .unwrap()
    }

    #[test]
    fn parameters_take_the_type_that_the_job_declares() {
        let declared = job(r#"{"text": {"type": "string"}, "count": {"type": "integer"}, "ratio": {"type": "number"},
                "dry": {"type": "boolean"}, "any": {}, "one": {"enum": [1, 2.5, "x"]}}"#);
        let cases = [
            ("text", "12", Value::from("12")),
            ("count", "12", Value::from(12)),
            ("ratio", "12.5", Value::from(12.5)),
            ("dry", "true", Value::from(true)),
            ("dry", "yes", Value::from("yes")),
            // Without a type a shell gets what was typed.
            ("any", "12", Value::from("12")),
            ("any", "1.10", Value::from("1.10")),
            ("any", "1e3", Value::from("1e3")),
            ("any", "-0", Value::from("-0")),
            ("any", "true", Value::from("true")),
            ("any", "a b", Value::from("a b")),
            ("one", "2.5", Value::from(2.5)),
            ("one", "x", Value::from("x")),
            ("one", "3", Value::from("3")),
            ("unknown", "x", Value::from("x")),
        ];
        for (name, text, expected) in cases {
            assert_eq!(typed_value(name, text, &declared).unwrap(), expected, "{name}={text}");
        }
        let error = typed_value("count", "123456789012345678901234567890", &declared).unwrap_err();
        assert_eq!((error.reports[0].code.as_str(), error.exit), ("param.number", Exit::Invalid));
    }

    #[test]
    fn an_assignment_may_hold_further_equal_signs() {
        assert_eq!(assignment("a=b=c").unwrap(), ("a".to_owned(), "b=c".to_owned()));
        assert!(assignment("a").is_err());
        assert!(assignment("=b").is_err());
    }
}
