//! Job files named on the command line: files, folders, and `-` for standard input.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jiff::Zoned;
use mainspring_api::{
    Bundle, ErrorCode, FlowSpec, Format, JobFile, JobFiles, Position, Problem, ProblemDetails, survey_job_files,
};
use mainspring_core::job::Job;
use mainspring_schedule::Timestamp;
use mainspring_server::convert::{self, CompiledFlow, Known, Surroundings};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::graph::Drawing;
use crate::output::Output;

/// The file in a folder that says what is no job file.
const IGNORE_FILE: &str = ".mainspringignore";

/// A job file that was read: its name as the user gave it, and its bytes.
pub struct File {
    /// For messages; none for standard input.
    name: Option<String>,
    /// By its ending; YAML for standard input.
    format: Format,
    /// The content, not yet known to be UTF-8.
    bytes: Vec<u8>,
}

/// What becomes of files in a folder that are of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// They are passed over with a warning.
    Skipped,
    /// They are read as job files, and refused.
    Refused,
}

impl From<bool> for Foreign {
    /// As `--strict` says.
    fn from(strict: bool) -> Self {
        if strict { Self::Refused } else { Self::Skipped }
    }
}

/// Reads files as one checked bundle, and warns of those that it passes over. Items that name no namespace get `namespace`.
///
/// # Errors
/// As [`contents`]; every problem in the files with `file:line:column` (exit 9).
pub fn read(paths: &[PathBuf], foreign: Foreign, namespace: &str, output: &Output) -> Result<JobFiles> {
    let (files, skipped) = contents(paths, foreign)?;
    output.warn(&skipped);
    let texts: Vec<JobFile<'_>> = files.iter().map(File::as_text).collect();
    read_texts(&texts, namespace, &output.style().now())
}

/// Reads files of jobs and of flows, beside each other, and warns of those that it passes over.
///
/// # Errors
/// As [`read`].
pub fn read_all(paths: &[PathBuf], foreign: Foreign, output: &Output) -> Result<(Bundle, Vec<FlowSpec>)> {
    let (files, skipped) = contents(paths, foreign)?;
    output.warn(&skipped);
    let texts: Vec<JobFile<'_>> = files.iter().map(File::as_text).collect();
    let files = read_compiled(&texts, &output.style().now())?;
    let flows = files.flows().to_vec();
    Ok((files.into_bundle(), flows))
}

/// Reads files as documents of one kind.
///
/// # Errors
/// As [`contents`]; every problem of their shape with `file:line:column` (exit 9).
pub fn documents<T: JsonSchema + DeserializeOwned + 'static>(paths: &[PathBuf]) -> Result<Vec<T>> {
    let (files, _) = contents(paths, Foreign::Refused)?;
    let read = files.iter().map(|file| mainspring_api::read_documents(file.name.as_deref(), &file.bytes, file.format));
    let read: Vec<Vec<T>> = read.collect::<std::result::Result<_, _>>().map_err(invalid)?;
    Ok(read.into_iter().flatten().collect())
}

/// Reads texts as one checked bundle. Items that name no namespace get `namespace`.
///
/// # Errors
/// Every problem in the texts with `file:line:column` (exit 9).
pub fn read_texts(texts: &[JobFile<'_>], namespace: &str, now: &Zoned) -> Result<JobFiles> {
    let (files, problems) = survey_job_files(texts, Some(namespace));
    if problems.is_empty() {
        return if files.flows().is_empty() { Ok(files) } else { Err(no_jobs(&files)) };
    }
    // The server will not be asked, so what it would say is said here.
    Err(invalid(compiled(&files, problems, "UTC", now).problems))
}

/// Reads texts as flows.
///
/// # Errors
/// Every problem in the texts with `file:line:column` (exit 9).
pub fn read_flows(texts: &[JobFile<'_>], now: &Zoned) -> Result<Vec<FlowSpec>> {
    Ok(read_compiled(texts, now)?.flows().to_vec())
}

/// Reads texts of jobs and of flows, and checks them as a server would.
fn read_compiled(texts: &[JobFile<'_>], now: &Zoned) -> Result<JobFiles> {
    let (files, problems) = survey_job_files(texts, Some("default"));
    let found = compiled(&files, problems, "UTC", now);
    if found.problems.is_empty() { Ok(files) } else { Err(invalid(found.problems)) }
}

/// Flows are not applied with jobs: what they have in their queues is asked about first.
fn no_jobs(files: &JobFiles) -> Error {
    let names: Vec<&str> = files.flows().iter().map(|spec| spec.flow.as_str()).collect();
    let message = format!("the files hold flows, which are applied on their own: {}", names.join(", "));
    Error::new(Exit::Usage, Report::new("cli.flow", message).hint("mainspring flow apply -f FILE"))
}

/// What is wrong with job files, and what is probably not meant.
pub struct Findings {
    /// Errors, each with `file:line:column`.
    pub problems: Vec<Problem>,
    /// Warnings, likewise.
    pub warnings: Vec<Problem>,
    /// Workflows by name, where nothing is wrong.
    pub workflows: Vec<(String, Drawing)>,
    /// Flows in the order of the files, where nothing is wrong.
    pub flows: Vec<CompiledFlow>,
}

/// Reads files with every text in them as a server would: durations, zones, expressions, calendars, and that each
/// trigger fires. Calendars that the files lack may be on the server, and pass.
///
/// # Errors
/// As [`contents`]. What is wrong inside of the files is among the findings.
pub fn check(paths: &[PathBuf], foreign: Foreign, timezone: &str, now: &Zoned) -> Result<(JobFiles, Findings)> {
    let (files, skipped) = contents(paths, foreign)?;
    let texts: Vec<JobFile<'_>> = files.iter().map(File::as_text).collect();
    let (files, problems) = survey_job_files(&texts, Some("default"));
    let mut findings = compiled(&files, problems, timezone, now);
    findings.warnings.extend(skipped);
    Ok((files, findings))
}

fn compiled(files: &JobFiles, problems: Vec<Problem>, timezone: &str, now: &Zoned) -> Findings {
    let now = Timestamp::from_millis(now.timestamp().as_millisecond());
    let line = |pointer: &str| files.position(pointer).map(|position| position.line);
    let around = Surroundings { namespace: "default", timezone, now, calendars: &|_, _| Known::Unknown, line: &line };
    let (flows, of_flows) = compiled_flows(files, timezone, now);
    match (convert::bundle(files.bundle(), &around), of_flows.is_empty()) {
        (Ok(compiled), true) => {
            let of_flows = flows.iter().enumerate().flat_map(|(index, flow)| placed(index, flow.warnings.clone()));
            let past = located(files, compiled.warnings.into_iter().chain(of_flows).collect());
            let warnings = files.empty().into_iter().chain(past).collect();
            let drawing = |job: &Arc<Job>| Some((job.key.name.clone(), Drawing::of(job.workflow()?)));
            let workflows = compiled.jobs.iter().filter_map(drawing).collect();
            Findings { problems, warnings, workflows, flows }
        }
        (compiled, _) => {
            let further = compiled.err().unwrap_or_default().into_iter().chain(of_flows).collect();
            let problems = files.with_further(problems, further);
            Findings { problems, warnings: Vec::new(), workflows: Vec::new(), flows: Vec::new() }
        }
    }
}

/// Reads the flows of files, and says what is wrong with them and names that are there twice.
fn compiled_flows(files: &JobFiles, timezone: &str, now: Timestamp) -> (Vec<CompiledFlow>, Vec<Problem>) {
    let (mut flows, mut problems, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, spec) in files.flows().iter().enumerate() {
        if !seen.insert((&spec.namespace, &spec.flow)) {
            let message = format!("flow \"{}\" is defined twice", spec.flow);
            problems.push(Problem::new(ErrorCode::NameDuplicate, message).at(format!("/flows/{index}/flow")));
        }
        match convert::flow(spec, timezone, now) {
            Ok(flow) => flows.push(flow),
            Err(found) => problems.extend(placed(index, found)),
        }
    }
    (flows, problems)
}

/// Points problems of a flow at its place among all.
fn placed(index: usize, problems: Vec<Problem>) -> impl Iterator<Item = Problem> {
    problems.into_iter().map(move |problem| {
        let pointer = format!("/flows/{index}{}", problem.pointer);
        problem.at(pointer)
    })
}

/// Adds to what points at values of the bundle where these were written.
pub fn located(files: &JobFiles, problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().map(|problem| files.locate(problem)).collect()
}

/// What is wrong with files as an error: the first hundred problems, and how many more there are.
pub fn invalid(problems: Vec<Problem>) -> Error {
    let omitted = problems.len().saturating_sub(ProblemDetails::ERRORS_MAX);
    let reports = problems.into_iter().take(ProblemDetails::ERRORS_MAX).map(Report::from).collect();
    Error { exit: Exit::Invalid, reports, omitted: omitted as u64 }
}

impl File {
    fn as_text(&self) -> JobFile<'_> {
        JobFile { name: self.name.as_deref(), format: self.format, text: &self.bytes }
    }
}

/// Reads all files; a folder stands for the job files in it and below, in the order of their names. Warns of files that are passed over.
///
/// # Errors
/// `cli.file` for what cannot be read, `cli.ending` for a file that is no job file by its ending, and
/// `cli.empty` for a folder without job files.
fn contents(paths: &[PathBuf], foreign: Foreign) -> Result<(Vec<File>, Vec<Problem>)> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for path in paths {
        if path.as_os_str() == "-" {
            files.push(stdin()?);
        } else if path.is_dir() {
            let found = below(path, &ignored(path)?)?;
            if found.is_empty() {
                let message = format!("no job files (.yaml, .yml, .toml, .json) in {}", path.display());
                return Err(Error::new(Exit::NotFound, Report::new("cli.empty", message)));
            }
            for path in found {
                let file = file(&path)?;
                // A file that is named is meant.
                match foreign == Foreign::Skipped && file.as_text().is_foreign() {
                    true => skipped.push(passed_over(file.name)),
                    false => files.push(file),
                }
            }
        } else {
            files.push(file(path)?);
        }
    }
    Ok((files, skipped))
}

fn passed_over(file: Option<String>) -> Problem {
    let warning = Problem::new(ErrorCode::DocumentForeign, "skipped: it has no key of a job file");
    warning.position(Position { file, line: 1, column: 1 }).hint("name it in .mainspringignore, or move it elsewhere")
}

/// What `.mainspringignore` in a folder leaves out, in the patterns of `.gitignore`.
fn ignored(folder: &Path) -> Result<Gitignore> {
    let file = folder.join(IGNORE_FILE);
    let mut patterns = GitignoreBuilder::new(folder);
    let unfit = |error: ignore::Error| {
        let message = format!("cannot use {}: {error}", file.display());
        Error::new(Exit::Invalid, Report::new("cli.ignore", message).hint("write the patterns as in .gitignore"))
    };
    if file.exists() {
        patterns.add(&file).map_or(Ok(()), Err).map_err(unfit)?;
    }
    patterns.build().map_err(unfit)
}

fn file(path: &Path) -> Result<File> {
    let Some(format) = Format::of_path(path) else {
        let message = format!("{} does not end in .yaml, .yml, .toml or .json", path.display());
        return Err(Error::new(Exit::Usage, Report::new("cli.ending", message)));
    };
    let bytes = std::fs::read(path).map_err(|error| Error::file("read", path, &error))?;
    Ok(File { name: Some(path.display().to_string()), format, bytes })
}

fn stdin() -> Result<File> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| Error::file("read", "standard input".as_ref(), &error))?;
    Ok(File { name: None, format: Format::Yaml, bytes })
}

/// Lists job files in a folder and below, without hidden and ignored ones; links to folders are not followed.
fn below(folder: &Path, ignored: &Gitignore) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::file("read", folder, &error);
    let mut entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<_, _>>).map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        if ignored.matched(&path, is_folder).is_ignore() {
            continue;
        }
        if is_folder {
            found.extend(below(&path, ignored)?);
        } else if Format::of_path(&path).is_some() {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_job_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["c.toml", "a.yaml", "b/x.json", ".hidden.yaml", "README.md"] {
            std::fs::write(folder.path().join(name), "name: a").unwrap();
        }
        let (files, _) = contents(&[folder.path().to_owned()], Foreign::Skipped).unwrap();
        let names: Vec<&str> = files
            .iter()
            .map(|file| Path::new(file.name.as_deref().unwrap()).strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["a.yaml", "b/x.json", "c.toml"]);
    }

    #[test]
    fn files_of_other_tools_are_passed_over_with_a_warning_or_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let compose = folder.path().join("compose.yaml");
        std::fs::write(&compose, "services: {web: {image: nginx}}").unwrap();
        std::fs::write(folder.path().join("job.yaml"), "name: a\nnoop: true").unwrap();
        std::fs::create_dir(folder.path().join("charts")).unwrap();
        std::fs::write(folder.path().join("charts/values.yaml"), "name: {{ x }}").unwrap();
        std::fs::write(folder.path().join(IGNORE_FILE), "# templates\ncharts/\n").unwrap();
        let read = |foreign| contents(&[folder.path().to_owned()], foreign).unwrap();
        let (files, skipped) = read(Foreign::Skipped);
        assert_eq!((files.len(), skipped.len()), (1, 1));
        assert!(skipped[0].position.as_ref().unwrap().file.as_ref().unwrap().ends_with("compose.yaml"));
        assert_eq!(read(Foreign::Refused).0.len(), 2, "then it is refused by whoever reads it");
        assert_eq!(contents(&[compose], Foreign::Skipped).unwrap().0.len(), 1, "what is named is meant");
    }

    #[test]
    fn what_is_no_job_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let readme = folder.path().join("README.md");
        std::fs::write(&readme, "").unwrap();
        let cases = [
            (readme, "cli.ending", Exit::Usage),
            (folder.path().to_owned(), "cli.empty", Exit::NotFound),
            (folder.path().join("none.yaml"), "cli.file", Exit::NotFound),
        ];
        for (path, code, exit) in cases {
            let error = contents(&[path], Foreign::Skipped).err().unwrap();
            assert_eq!((error.reports[0].code.as_str(), error.exit), (code, exit));
        }
    }
}
