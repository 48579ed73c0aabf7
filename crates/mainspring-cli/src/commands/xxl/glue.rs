//! `mainspring xxl glue …`: versions of the scripts that executors run.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mainspring_api::client::Precondition;
use mainspring_api::{XxlGlueChange, XxlGlueHistory, XxlGlueOld, XxlGlueRollback, XxlGlueVersion, XxlLanguage};
use serde::{Deserialize, Serialize};

use super::lines;
use crate::connect::Session;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::name::JobName;
use crate::output::{Form, Output, counted};
use crate::views::XXL_GLUE;
use crate::who;

#[derive(Debug, Subcommand)]
pub enum Glue {
    /// List the versions of a job's script, newest first
    List(JobArgs),
    /// Print a version of a job's script
    #[command(name = "get", visible_alias = "show")]
    Show(ShowArgs),
    /// Print the differences between two versions
    Diff(DiffArgs),
    /// Make an older version the current one, as a new version
    Rollback(RollbackArgs),
    /// Give a job another script
    Set(SetArgs),
    /// Add the versions that XXL-JOB kept, from the file that the import has written
    Load(LoadArgs),
}

#[derive(Debug, Args)]
pub struct JobArgs {
    /// Its name, or NAMESPACE/NAME
    #[arg(value_name = "JOB")]
    job: JobName,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Which version; the current one when absent
    #[arg(long = "version", value_name = "NUMBER")]
    number: Option<u32>,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    job: JobArgs,
    /// The older version; the one before the newer when absent
    #[arg(value_name = "FROM")]
    from: Option<u32>,
    /// The newer version; the current one when absent
    #[arg(value_name = "TO")]
    to: Option<u32>,
}

#[derive(Debug, Args)]
pub struct RollbackArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Which version
    #[arg(value_name = "VERSION")]
    number: u32,
    /// The GLUE UPDATETIME that it was listed with: refused if its number is another script's by now
    #[arg(long, value_name = "NUMBER")]
    glue_updatetime: Option<i64>,
    /// Why, for people; it names the version when absent
    #[arg(long, value_name = "TEXT")]
    remark: Option<String>,
}

#[derive(Debug, Args)]
pub struct SetArgs {
    #[command(flatten)]
    job: JobArgs,
    /// The script; - is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What was changed, for people
    #[arg(long, value_name = "TEXT")]
    remark: Option<String>,
    /// What it is written in; as before when absent
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    language: Option<XxlLanguage>,
}

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// What mainspring import xxl-job has written
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// A line of the file that an import writes: the versions of one job.
#[derive(Debug, Serialize, Deserialize)]
pub struct JobHistory {
    /// The name of the job.
    pub job: String,
    /// Its versions, oldest first.
    pub versions: Vec<XxlGlueOld>,
}

fn language(text: &str) -> Result<XxlLanguage, String> {
    let words = || XxlLanguage::ALL.map(XxlLanguage::as_str).join(", ");
    XxlLanguage::parse(text).ok_or_else(|| format!("expected one of {}", words()))
}

/// Does what the verb says.
///
/// # Errors
/// Whatever the server reports, and a file that cannot be read.
pub async fn run(session: &Session, verb: Glue, output: &Output) -> Result {
    match verb {
        Glue::List(args) => output.list(&list(session, &args.job).await?, &XXL_GLUE),
        Glue::Show(args) => {
            let version = get(session, &args.job.job, args.number).await?;
            match (output.form(), &version.source) {
                (Form::Table, Some(source)) => output.text(source),
                _ => output.one(&version, &XXL_GLUE),
            }
        }
        Glue::Diff(args) => diff(session, &args, output).await,
        Glue::Rollback(args) => {
            let made = roll_back(session, &args).await?;
            said(&made, &args.job.job.job, output)
        }
        Glue::Set(args) => {
            let (namespace, job) = (args.job.job.namespace(&session.namespace), &args.job.job.job);
            let (source, by) = (text(&args.file)?, who::because(None).by);
            let change = XxlGlueChange { source, language: args.language, remark: args.remark, by };
            said(&session.ask(session.client.set_xxl_glue(namespace, job, &change)).await?, job, output)
        }
        Glue::Load(args) => load(session, &args.file, output).await,
    }
}

fn said(version: &XxlGlueVersion, job: &str, output: &Output) -> Result {
    output.done(version, &XXL_GLUE, format_args!("{job} has version {} of its script", version.version))
}

async fn list(session: &Session, args: &JobName) -> Result<Vec<XxlGlueVersion>> {
    session.ask(session.client.xxl_glue(args.namespace(&session.namespace), &args.job)).await
}

/// A version with its source.
async fn get(session: &Session, job: &JobName, version: Option<u32>) -> Result<XxlGlueVersion> {
    let version = match version {
        Some(version) => version,
        None => current(&list(session, job).await?, job)?,
    };
    session.ask(session.client.xxl_glue_version(job.namespace(&session.namespace), &job.job, version)).await
}

fn current(versions: &[XxlGlueVersion], job: &JobName) -> Result<u32> {
    let found = versions.iter().find(|version| version.current).or(versions.first());
    found.map(|version| version.version).ok_or_else(|| {
        let report = Report::new("version.not_found", format!("no version of a script of {} is kept", job.job));
        Error::new(Exit::NotFound, report.hint("versions are kept from the first save of a job with xxl.glue on"))
    })
}

/// Replaces no script that is saved after it has looked: neither the current one nor the one that the number stands for.
async fn roll_back(session: &Session, args: &RollbackArgs) -> Result<XxlGlueVersion> {
    let (namespace, job) = (args.job.job.namespace(&session.namespace), &args.job.job.job);
    let seen = session.ask(session.client.job(namespace, job)).await?;
    let glue_updatetime = match args.glue_updatetime {
        Some(said) => said,
        None => get(session, &args.job.job, Some(args.number)).await?.glue_updatetime,
    };
    let (remark, by) = (args.remark.clone(), who::because(None).by);
    let rollback = XxlGlueRollback { remark, by, glue_updatetime: Some(glue_updatetime) };
    let version = Precondition::Version(seen.version);
    session.ask(session.client.roll_back_xxl_glue(namespace, job, args.number, &rollback, version)).await
}

async fn diff(session: &Session, args: &DiffArgs, output: &Output) -> Result {
    let job = &args.job.job;
    let versions = list(session, job).await?;
    let to = match args.to {
        Some(to) => to,
        None => current(&versions, job)?,
    };
    let before = || versions.iter().map(|version| version.version).find(|version| *version < to);
    let Some(from) = args.from.or_else(before) else {
        output.note(format_args!("version {to} is the first that is kept"));
        return Ok(());
    };
    let (from, to) = (get(session, job, Some(from)).await?, get(session, job, Some(to)).await?);
    let source = |version: &XxlGlueVersion| version.source.clone().unwrap_or_default();
    let name = |version: &XxlGlueVersion| format!("{} version {}", job.job, version.version);
    let text = lines::unified((&name(&from), &source(&from)), (&name(&to), &source(&to)));
    match text.is_empty() {
        true => output.note("no differences"),
        false => output.text(text)?,
    }
    Ok(())
}

async fn load(session: &Session, file: &Path, output: &Output) -> Result {
    let text = text(file)?;
    let (mut jobs, mut versions) = (0, 0);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let read: JobHistory = serde_json::from_str(line).map_err(|error| {
            let report = Report::new("cli.input", format!("{error}")).at(format!("{}:{}", file.display(), number + 1));
            Error::new(Exit::Invalid, report.hint("mainspring import xxl-job writes such a file"))
        })?;
        let history = XxlGlueHistory { versions: read.versions };
        session.ask(session.client.add_xxl_glue_history(&session.namespace, &read.job, &history)).await?;
        (jobs, versions) = (jobs + 1, versions + history.versions.len());
    }
    output.note(format_args!("{} of {} loaded", counted(versions, "version"), counted(jobs, "script")));
    Ok(())
}

fn text(file: &Path) -> Result<String> {
    let text =
        if file == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(file) };
    text.map_err(|error| Error::file("read", file, &error))
}
