//! `mainspring import`: what other schedulers have, as job files.

mod database;
mod runs;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use mainspring_api::{Bundle, Format, JobSpec, Problem, write_text};
use mainspring_schedule::Timestamp;
use mainspring_server::convert::{self, Known, Surroundings};
use mainspring_xxl::import::{Counts, Day, DumpError, Imported, Item, Kind, OldRuns, Options, Tables, import};
use serde::Serialize;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Form, Output, counted};
use crate::time_value;
use crate::views::IMPORTED;

/// Turn what another scheduler has into job files
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    source: Source,
}

#[derive(Debug, Subcommand)]
enum Source {
    XxlJob(XxlJobArgs),
}

/// Read XXL-JOB's database (2.1 to 3.5) or a dump of it, report on every item, and write job files
///
/// Jobs of handlers and of scripts are for XXL-JOB's executors, which connect once their app is made. Children start after their parents.
/// Imported jobs are paused unless --activate is given. The versions of scripts are in a file for mainspring xxl glue load, and with
/// --history the runs in one for mainspring run load.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mysqldump xxl_job > dump.sql
  mainspring import xxl-job dump.sql --timezone Asia/Shanghai --dry-run    what would become of each item
  mainspring import xxl-job dump.sql --timezone Asia/Shanghai --to jobs/
  mainspring import xxl-job mysql://reader@10.0.0.3/xxl_job --password-file password --timezone Asia/Shanghai --to jobs/
  mainspring apply jobs/ --dry-run")]
struct XxlJobArgs {
    /// What mysqldump, mariadb-dump or another tool has written; or mysql://USER@HOST/DATABASE, from which is only read
    #[arg(value_name = "FILE|URL")]
    from: String,
    /// File with the password for the database in its first line; - is the standard input
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Zone in which the old server read cron expressions: that of its machine, which the database does not hold
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Leave jobs that ran there running, instead of pausing all
    #[arg(long)]
    activate: bool,
    /// Channel of alerts by which the addresses of alarm_email are told of failures; it is made with mainspring alert channel apply
    #[arg(long, value_name = "NAME", value_parser = crate::name::plain)]
    mail_channel: Option<String>,
    /// Apps whose scripts workers of ours execute, started with --scripts, in place of executors; not those in Groovy and Python 2
    #[arg(long, value_name = "APP", value_delimiter = ',')]
    scripts_here: Vec<String>,
    /// Also write a file of the runs that are over and were triggered within this time, 30d if no other is given, for mainspring run load
    #[arg(long, value_name = "DURATION", num_args = 0..=1, require_equals = true, default_missing_value = "30d",
        value_parser = time_value::duration, requires = "timezone")]
    history: Option<Duration>,
    /// Report only, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Folder for the job files, one or more for each app; existing files are not replaced
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    to: Option<PathBuf>,
}

/// The report.
#[derive(Serialize)]
struct Summary<'a> {
    /// The releases whose tables these are.
    release: &'a str,
    apps: Counts,
    jobs: Counts,
    users: Counts,
    items: &'a [Item],
    /// What is taken of the runs, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Past>,
    /// The job files that were written; none in a dry run.
    files: Vec<String>,
}

/// What is taken of the runs.
#[derive(Serialize)]
struct Past {
    /// Since when, in the zone of the old server.
    since: String,
    /// How many runs are in the file.
    runs: usize,
    /// What the old server counted for each day.
    days: Vec<Day>,
}

/// Imports.
///
/// # Errors
/// A dump that cannot be read (exit 9), and files that exist already (exit 4). When jobs were refused, the others are written and the
/// exit code is 11.
pub fn run(args: ImportArgs, output: &Output) -> Result {
    let Source::XxlJob(args) = args.source;
    let now = output.style().now();
    let since = args.history.map(|history| runs::since(&now, history, args.timezone.as_deref())).transpose()?;
    let tables = tables(&args, since.as_deref())?;
    let timezone = timezone(&args, &tables)?;
    let (zone, mail_channel) = (timezone.clone(), args.mail_channel.clone());
    let mut imported = import(
        &tables,
        &Options { timezone, activate: args.activate, mail_channel, scripts_here: args.scripts_here.clone() },
    );
    refuse_invalid(&mut imported, Timestamp::from_millis(now.timestamp().as_millisecond()));
    let mut files = files(&mut imported)?;
    files.extend(scripts::file(&imported.histories, &zone)?);
    let past = since.map(|since| past(since, &tables, &zone, &mut imported, &mut files)).transpose()?;
    let files = match args.to.filter(|_| !args.dry_run) {
        Some(folder) => write(&folder, &files)?,
        None => Vec::new(),
    };
    show(&imported, past, files, args.dry_run, output)?;
    let is_partial = !args.dry_run && imported.counts(Kind::Job).refused > 0;
    if is_partial { Err(Error::silent(Exit::Partial)) } else { Ok(()) }
}

/// Adds the file of the runs, and says what is not taken of them.
fn past(
    since: String,
    tables: &Tables,
    zone: &str,
    imported: &mut Imported,
    files: &mut BTreeMap<String, String>,
) -> Result<Past> {
    let OldRuns { runs, notes, days } = mainspring_xxl::import::runs(tables, &imported.bundle.jobs);
    let (text, count) = runs::text(&runs, zone)?;
    // Without runs as well: a script that imports, applies and loads goes through.
    if !imported.bundle.jobs.is_empty() {
        files.insert(runs::FILE.to_owned(), text);
    }
    if let Some(item) = imported.items.iter_mut().find(|item| item.kind == Kind::Database) {
        notes.into_iter().for_each(|note| item.change(note));
        let gone: i64 = days.iter().map(|day| (day.succeeded + day.failed - day.imported).max(0)).sum();
        if gone > 0 {
            item.change(format!("runs that the old server counted since {since} and that are not imported: {gone}"));
        }
    }
    Ok(Past { since, runs: count, days })
}

/// What is there to be imported, from a dump or from the database itself.
fn tables(args: &XxlJobArgs, since: Option<&str>) -> Result<Tables> {
    if database::is_address(&args.from) {
        return database::tables(&args.from, args.password_file.as_deref(), since);
    }
    if args.password_file.is_some() {
        return Err(Error::usage("--password-file is for the address of a database, and a dump has none"));
    }
    let dump = Path::new(&args.from);
    let bytes = std::fs::read(dump).map_err(|error| Error::file("read", dump, &error))?;
    Tables::read_since(&bytes, since).map_err(|error| unreadable(&error, &args.from))
}

/// The zone of cron expressions. It has to be said where there are any.
fn timezone(args: &XxlJobArgs, tables: &Tables) -> Result<String> {
    if let Some(zone) = &args.timezone {
        mainspring_schedule::Zone::parse(zone)
            .map_err(|error| Error::usage(format!("--timezone {zone}: {error}")).hint("for example Asia/Shanghai"))?;
        return Ok(zone.clone());
    }
    let is_cron = |kind: Option<&str>| kind.is_none_or(|kind| kind.trim() == "CRON");
    match tables.rows("xxl_job_info").iter().any(|row| is_cron(row.get("schedule_type"))) {
        true => {
            Err(Error::usage("there are cron expressions, and the database does not say in which zone they were read")
                .hint(
                    "pass --timezone with the zone of the old server's machine, for example --timezone Asia/Shanghai",
                ))
        }
        false => Ok("UTC".to_owned()),
    }
}

fn unreadable(error: &DumpError, from: &str) -> Error {
    let (code, hint) = match error {
        DumpError::NotUtf8 { is_utf16: true, .. } => {
            ("import.encoding", "PowerShell's > writes UTF-16: let mysqldump write the file with --result-file")
        }
        DumpError::NotUtf8 { .. } => ("import.encoding", "dump with --default-character-set=utf8mb4"),
        DumpError::Cut { .. } => ("import.cut", "dump again: nothing was imported"),
        DumpError::Columns { .. } => ("import.columns", "dump with table definitions, or with --complete-insert"),
        DumpError::Syntax { .. } | DumpError::Width { .. } => {
            ("import.syntax", "dump with mysqldump or mariadb-dump, without options that change the format")
        }
        DumpError::NoJobs => ("import.no_jobs", "take the database that XXL-JOB uses, xxl_job by default"),
    };
    let report = Report::new(code, error.to_string()).at(from).hint(hint);
    Error::new(Exit::Invalid, report)
}

/// Refuses jobs that a server would refuse, such as those whose expression never fires.
fn refuse_invalid(imported: &mut Imported, now: Timestamp) {
    // Each round takes at least one job out.
    for _ in 0..=imported.bundle.jobs.len() {
        let around = Surroundings {
            namespace: "default",
            timezone: "UTC",
            now,
            calendars: &|_, _| Known::Unknown,
            line: convert::NO_LINES,
        };
        let Err(problems) = convert::bundle(&imported.bundle, &around) else { return };
        let mut of_job: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for Problem { code, message, pointer, .. } in problems {
            // Nothing but jobs is in the bundle.
            let index = pointer.strip_prefix("/jobs/").and_then(|rest| rest.split('/').next()?.parse().ok());
            of_job.entry(index.unwrap_or(0)).or_default().push(format!("{message} ({code})"));
        }
        // From the last on, so that places before it stay what they are.
        for (index, problems) in of_job.into_iter().rev() {
            imported.refuse_job(index, problems.join("; "));
        }
    }
}

/// The largest text of a job file, in bytes: what is read must be below 1 MiB.
const FILE_MAX: usize = 900 << 10;

/// The texts of the job files by their names: those of one queue each, and as many as fit.
fn files(imported: &mut Imported) -> Result<BTreeMap<String, String>> {
    let text = |jobs: &[JobSpec]| {
        let bundle = Bundle { jobs: jobs.to_vec(), ..Bundle::default() };
        write_text(&bundle, Format::Yaml).map_err(|error| {
            Error::new(Exit::Failure, Report::new("import.write", format!("the jobs cannot be written: {error}")))
        })
    };
    let mut queues: BTreeMap<String, Vec<Vec<JobSpec>>> = BTreeMap::new();
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    let mut index = 0;
    while let Some(job) = imported.bundle.jobs.get(index).cloned() {
        let length = text(std::slice::from_ref(&job))?.len();
        if length > FILE_MAX {
            let note = format!("it takes {length} bytes, and a job file at most {FILE_MAX}: keep its script in a file");
            imported.refuse_job(index, note);
            continue;
        }
        index += 1;
        let queue = job.xxl.as_ref().map(|xxl| xxl.app.clone()).or_else(|| job.queue.clone()).unwrap_or_default();
        let size = sizes.entry(queue.clone()).or_insert(FILE_MAX);
        let parts = queues.entry(queue).or_default();
        if *size + length > FILE_MAX {
            parts.push(Vec::new());
            *size = 0;
        }
        *size += length;
        parts.last_mut().expect("a part was begun for the first job").push(job);
    }
    let mut files = BTreeMap::new();
    for (queue, parts) in queues {
        for (number, jobs) in parts.iter().enumerate() {
            let name = if number == 0 { format!("{queue}.yaml") } else { format!("{queue}-part{}.yaml", number + 1) };
            files.insert(name, text(jobs)?);
        }
    }
    Ok(files)
}

/// Writes the files, none of which may be there.
fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<Vec<String>> {
    std::fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, &error))?;
    let paths = || files.keys().map(|name| folder.join(name));
    if let Some(there) = paths().find(|path| path.exists()) {
        let report = Report::new("import.exists", format!("{} exists already", there.display()))
            .hint("name another folder, or remove it; nothing was written");
        return Err(Error::new(Exit::Conflict, report));
    }
    for (path, text) in paths().zip(files.values()) {
        let written = std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| Error::file("write", &path, &error))?;
    }
    Ok(paths().map(|path| path.display().to_string()).collect())
}

/// Apps that are named after the report; their items name all.
const APPS_SHOWN: usize = 20;

/// The apps that groups become, each once.
fn apps_of(items: &[Item]) -> BTreeSet<&str> {
    let apps = items.iter().filter(|item| item.kind == Kind::App);
    apps.filter_map(|item| item.becomes.as_ref()?.strip_prefix("app ")).collect()
}

fn show(imported: &Imported, past: Option<Past>, files: Vec<String>, is_dry: bool, output: &Output) -> Result {
    let [apps, jobs, users] = [Kind::App, Kind::Job, Kind::User].map(|kind| imported.counts(kind));
    let summary =
        Summary { release: imported.release, apps, jobs, users, items: &imported.items, history: past, files };
    match output.form() {
        Form::Json | Form::Yaml => output.document(&summary)?,
        _ => output.list(&imported.items, &IMPORTED)?,
    }
    let told =
        |counts: Counts| format!("{} exact, {} changed, {} refused", counts.exact, counts.changed, counts.refused);
    output.note(format_args!("tables of XXL-JOB {}; jobs: {}; apps: {}", summary.release, told(jobs), told(apps)));
    for app in apps_of(&imported.items).iter().take(APPS_SHOWN) {
        output.note(format_args!("executors of {app} connect once it is made: mainspring xxl app create {app}"));
    }
    if let Some(past) = &summary.history {
        output.note(format_args!("{} that are over, since {}", counted(past.runs, "run"), past.since));
    }
    match summary.files.as_slice() {
        _ if is_dry => output.note("dry run: nothing was written"),
        [] => output.note("no job is left to be written"),
        files => {
            let folder = Path::new(&files[0]).parent().unwrap_or(Path::new(".")).display();
            output.note(format_args!(
                "{} written; apply them with: mainspring apply {folder}",
                counted(files.len(), "file")
            ));
            if let Some(scripts) = files.iter().find(|file| file.ends_with(scripts::FILE)) {
                output.note(format_args!(
                    "older versions of scripts, once that is done: mainspring xxl glue load {scripts}"
                ));
            }
            let has_runs = summary.history.as_ref().is_some_and(|past| past.runs > 0);
            if let Some(runs) = files.iter().find(|file| has_runs && file.ends_with(runs::FILE)) {
                output.note(format_args!("runs, once that is done: mainspring run load {runs}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(jobs: Vec<JobSpec>) -> Imported {
        let items = jobs.iter().enumerate().map(|(id, job)| Item::new(Kind::Job, id as i64, &job.name)).collect();
        Imported { bundle: Bundle { jobs, ..Bundle::default() }, histories: Vec::new(), items, release: "3.4" }
    }

    fn job(id: usize, queue: &str, script: usize) -> JobSpec {
        let labels = [("xxl-id".to_owned(), id.to_string())].into();
        let exec = Some(vec!["bash".to_owned(), "-c".to_owned(), "x".repeat(script)]);
        JobSpec { name: format!("j-{id}"), queue: Some(queue.to_owned()), labels, exec, ..JobSpec::default() }
    }

    #[test]
    fn files_stay_below_what_is_read() {
        let half = FILE_MAX / 2 - 1_000;
        let mut all = imported(vec![
            job(0, "a", half),
            job(1, "b", 1),
            job(2, "a", half),
            job(3, "a", half),
            job(4, "a", FILE_MAX),
        ]);
        let files = files(&mut all).unwrap();
        let names: Vec<&String> = files.keys().collect();
        assert_eq!(names, ["a-part2.yaml", "a.yaml", "b.yaml"]);
        assert!(files.values().all(|text| text.len() <= FILE_MAX));
        assert_eq!(all.counts(Kind::Job), Counts { exact: 4, changed: 0, refused: 1 });
    }

    #[test]
    fn jobs_that_no_server_would_take_are_refused_with_the_reason() {
        let mut jobs = vec![job(0, "a", 1), job(1, "a", 1), job(2, "a", 1)];
        for (index, cron) in [(0, "0 0 0 30 2 ?"), (2, "every day")] {
            let (name, cron) = (Some("schedule".to_owned()), Some(cron.to_owned()));
            let trigger = mainspring_api::TriggerSpec { name, cron, ..Default::default() };
            jobs[index].triggers = vec![trigger];
        }
        let mut all = imported(jobs);
        refuse_invalid(&mut all, Timestamp::from_millis(1_795_611_057_285));
        let left: Vec<&str> = all.bundle.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(left, ["j-1"]);
        assert!(all.items[0].notes[0].contains("schedule.never"), "{:?}", all.items);
        assert!(all.items[2].notes[0].contains("schedule.cron"), "{:?}", all.items);
    }
}
