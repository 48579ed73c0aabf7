//! `mainspring apply`, `diff` and `export`: job files and what the server holds.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use mainspring_api::{ApplyAction, ApplyOptions, ApplyResult, ItemKind, JobFiles, JobSpec, TriggerSpec};

use crate::connect::{self, ConnectArgs, Session};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Form, Output, counted};
use crate::views::{self, PLAN};
use crate::{confirm, files, progress};

/// The job files that a command is about.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct FilesArgs {
    /// Job files or folders, or - for standard input
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// The same, as an option
    #[arg(short = 'f', long = "file", value_name = "FILE|DIR")]
    named: Vec<PathBuf>,
}

impl FilesArgs {
    fn all(&self) -> Vec<PathBuf> {
        [&self.files[..], &self.named].concat()
    }

    fn read(&self, strict: bool, namespace: &str, output: &Output) -> Result<JobFiles> {
        files::read(&self.all(), strict.into(), namespace, output)
    }
}

/// Make the server hold what job files say; everything is checked before anything is written
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring apply jobs/ --dry-run        what would change
  mainspring apply nightly.yaml calendars.toml
  mainspring apply jobs/ --prune          delete what the files lack, after asking
  ./make-jobs.py | mainspring apply -")]
pub struct ApplyArgs {
    #[command(flatten)]
    files: FilesArgs,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Delete jobs and calendars that the files lack, in the namespaces that they name, also where they list nothing
    #[arg(long)]
    prune: bool,
    /// Refuse files in a folder that have no key of a job file, in place of skipping them
    #[arg(long)]
    strict: bool,
    /// Do not ask before --prune deletes
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Show how the server differs from job files; exit 10 when it does
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring diff jobs/
  mainspring diff jobs/ --prune -o json")]
pub struct DiffArgs {
    #[command(flatten)]
    files: FilesArgs,
    /// Count what the files lack as a difference
    #[arg(long)]
    prune: bool,
    /// Refuse files in a folder that have no key of a job file, in place of skipping them
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Print the jobs and calendars of a namespace as a job file that apply takes back
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring export > backup.yaml
  mainspring export -n prod -o json | jq '.jobs[].name'")]
pub struct ExportArgs {
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Applies the files.
///
/// # Errors
/// Everything wrong with the files (exit 9), and whatever the server reports; then nothing has changed.
pub fn apply(args: &ApplyArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let files = args.files.read(args.strict, &session.namespace, output)?;
    connect::block_on(async {
        if args.prune && !args.dry_run && !args.yes {
            ask_before_pruning(&session, &files).await?;
        }
        let options = ApplyOptions { dry_run: args.dry_run, prune: args.prune };
        let message = format!("applying {}", counted(files.bundle().jobs.len(), "job"));
        let request = session.client.apply(files.bundle(), options);
        let request = session.ask_about(&files, request);
        let result = progress::during(output, &message, request).await?;
        note_zone(&session, &files, output).await?;
        show(result, &files, output)
    })
}

/// Says in which zone triggers are read that name none: they keep it, also when the server gets another one.
async fn note_zone(session: &Session, files: &JobFiles, output: &Output) -> Result {
    let reads_zone = |trigger: &TriggerSpec| trigger.every.is_none() && trigger.delay.is_none();
    let without = |job: &JobSpec| {
        let triggers = job.triggers_in_order().into_iter();
        triggers.filter(|(_, trigger)| trigger.timezone.is_none() && reads_zone(trigger)).count()
    };
    let count: usize = files.bundle().jobs.iter().map(without).sum();
    if count == 0 {
        return Ok(());
    }
    let zone = session.ask(session.client.info()).await?.default_timezone;
    if zone != "UTC" {
        let triggers = counted(count, "trigger");
        output.note(format_args!("without a timezone: {triggers}, read in the server's {zone} from now on"));
    }
    Ok(())
}

/// Shows what an apply would change.
///
/// # Errors
/// Exit 10 when there are differences; else as [`apply`].
pub fn diff(args: &DiffArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let files = args.files.read(args.strict, &session.namespace, output)?;
    let options = ApplyOptions { dry_run: true, prune: args.prune };
    let request = session.client.apply(files.bundle(), options);
    let result = connect::block_on(session.ask_about(&files, request))?;
    let totals = result.totals;
    if totals.created + totals.updated + totals.deleted == 0 {
        output.note("no differences");
        return match output.form() {
            Form::Json | Form::Yaml => output.document(&result),
            _ => Ok(()),
        };
    }
    match output.form() {
        Form::Table => output.text(views::changes(&result))?,
        _ => show(result, &files, output)?,
    }
    Err(Error::silent(Exit::Different))
}

/// Prints the bundle of a namespace, as YAML unless asked otherwise.
///
/// # Errors
/// Whatever the server reports.
pub fn export(args: &ExportArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let request = session.client.export(&session.namespace);
    let bundle = connect::block_on(session.ask(request))?;
    match output.form() {
        Form::Name => bundle.jobs.iter().try_for_each(|job| output.text(&job.name)),
        Form::Table => output.document_as(Form::Yaml, &bundle),
        form => output.document_as(form, &bundle),
    }
}

async fn ask_before_pruning(session: &Session, files: &JobFiles) -> Result {
    let options = ApplyOptions { dry_run: true, prune: true };
    let request = session.client.apply(files.bundle(), options);
    let plan = session.ask_about(files, request).await?;
    match plan.totals.deleted {
        0 => Ok(()),
        _ => {
            crate::notes::note(views::changes(&plan));
            confirm::confirm(&format!("Delete {}{}?", deleted(&plan), emptied(&plan)), false)
        }
    }
}

/// What a plan deletes, by kind.
fn deleted(plan: &ApplyResult) -> String {
    let count = |kind| {
        let doomed = plan.items.iter().filter(|item| item.action == ApplyAction::Deleted && item.kind == kind);
        (doomed.count(), kind.as_str())
    };
    let counts = [count(ItemKind::Job), count(ItemKind::Calendar)].into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, noun)| counted(count, noun)).collect::<Vec<_>>().join(" and ")
}

/// Says which namespaces a plan leaves without jobs.
fn emptied(plan: &ApplyResult) -> String {
    let of = |doomed: bool| {
        let jobs = plan.items.iter().filter(move |item| item.kind == ItemKind::Job);
        let jobs = jobs.filter(move |item| (item.action == ApplyAction::Deleted) == doomed);
        jobs.map(|item| item.namespace.as_str()).collect::<BTreeSet<_>>()
    };
    let kept = of(false);
    let emptied: Vec<_> = of(true).into_iter().filter(|namespace| !kept.contains(namespace)).collect();
    match emptied.as_slice() {
        [] => String::new(),
        names => format!(", all jobs of {}", names.join(", ")),
    }
}

fn show(result: ApplyResult, files: &JobFiles, output: &Output) -> Result {
    let result = &ApplyResult { warnings: files::located(files, result.warnings), ..result };
    output.warn(&files.empty());
    output.warn(&result.warnings);
    match output.form() {
        Form::Json | Form::Yaml => output.document(result)?,
        _ => output.list(&result.items, &PLAN)?,
    }
    let totals = result.totals;
    output.note(format_args!(
        "{} created, {} updated, {} unchanged, {} deleted{}",
        totals.created,
        totals.updated,
        totals.unchanged,
        totals.deleted,
        if result.dry_run { " (dry run: nothing was changed)" } else { "" }
    ));
    Ok(())
}
