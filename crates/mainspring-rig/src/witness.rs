//! Files in which jobs bear witness: what really ran, told by the work itself and not by the database.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mainspring_core::{RunId, Timestamp};

use crate::history::now;

/// A file to which jobs append a line when they start and another when they end, synced before they go on.
#[derive(Clone, Debug)]
pub struct Witness {
    path: PathBuf,
}

/// One line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Whether the work began or ended.
    pub moment: Moment,
    /// `namespace/job`.
    pub job: String,
    /// The run.
    pub run: RunId,
    /// The attempt, as the work was told.
    pub attempt: u32,
    /// The process that wrote it.
    pub pid: u32,
    /// The fire time that the work was told.
    pub fire_time: Timestamp,
    /// The time of writing, by the machine's clock.
    pub at: Timestamp,
}

/// The event that a line records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// The work began.
    Start,
    /// The work is done; the verdict follows.
    End,
}

impl Witness {
    /// Creates a witness that writes into a file, which the first mark creates.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns a shell line that does `work` and records it. It ends as `work` does.
    ///
    /// One write to a file opened for appending is not mixed with those of other processes; it may be cut short where a page of
    /// the file ends, if the process is killed just then. So each line begins by ending the one before, and ends with a dot.
    #[must_use]
    pub fn line(&self, work: &str) -> String {
        let file = self.path.display().to_string().replace('\'', r"'\''");
        format!(
            r#"mark() {{ date "+%n$1 $MS_JOB $MS_RUN_ID $MS_ATTEMPT $$ $MS_FIRE_TIME %s%3N ." | dd of='{file}' oflag=append conv=notrunc,fsync status=none; }}
mark start; ({work}); code=$?; mark end; exit $code"#
        )
    }

    /// Writes a line for work that is done within this process, at the machine's time.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn note(&self, moment: Moment, job: &str, run: RunId, attempt: u32, fire_time: Timestamp) -> Result<()> {
        let word = match moment {
            Moment::Start => "start",
            Moment::End => "end",
        };
        let (pid, at) = (std::process::id(), now()?.as_millis());
        let line = format!("\n{word} {job} {run} {attempt} {pid} {fire_time} {at} .");
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        file.write_all(line.as_bytes())?;
        Ok(file.sync_data()?)
    }

    /// Returns the marks so far. A line without its dot was cut short with its process, before the work began or its
    /// end was recorded, and is ignored.
    ///
    /// # Errors
    /// The file cannot be read, or a whole line is none of ours.
    pub fn read(&self) -> Result<Vec<Mark>> {
        let text = match Path::exists(&self.path) {
            true => std::fs::read_to_string(&self.path)?,
            false => String::new(),
        };
        let number = |(index, line)| mark(line).with_context(|| format!("line {}: {line:?}", index + 1));
        let whole = text.lines().enumerate().filter_map(|(index, line)| Some((index, line.strip_suffix(" .")?)));
        whole.map(number).collect()
    }
}

fn mark(line: &str) -> Result<Mark> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [moment, job, run, attempt, pid, fire_time, at] = fields[..] else {
        anyhow::bail!("a line has seven fields");
    };
    let moment = match moment {
        "start" => Moment::Start,
        "end" => Moment::End,
        _ => anyhow::bail!("a line begins with start or end"),
    };
    Ok(Mark {
        moment,
        job: job.to_owned(),
        run: run.parse().context("no run id")?,
        attempt: attempt.parse().context("no attempt")?,
        pid: pid.parse().context("no process id")?,
        fire_time: fire_time.parse().context("no fire time")?,
        at: Timestamp::from_millis(at.parse().context("no milliseconds")?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_bears_witness_and_ends_as_it_would() {
        let folder = tempfile::tempdir().unwrap();
        let witness = Witness::new(folder.path().join("it's a witness"));
        assert_eq!(witness.read().unwrap(), []);
        let run = "0190a5b2-4c00-8abc-8def-0123456789ab";
        let status = std::process::Command::new("sh")
            .args(["-c", &witness.line("exit 3")])
            .env("MS_JOB", "default/tick")
            .env("MS_RUN_ID", run)
            .env("MS_ATTEMPT", "2")
            .env("MS_FIRE_TIME", "2026-03-08T07:30:00.250Z")
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(3));
        let marks = witness.read().unwrap();
        let told: Vec<_> = marks.iter().map(|mark| (mark.moment, mark.run.to_string(), mark.attempt)).collect();
        assert_eq!(told, [(Moment::Start, run.to_owned(), 2), (Moment::End, run.to_owned(), 2)]);
        assert_eq!(marks[0].fire_time.to_string(), "2026-03-08T07:30:00.250Z");
        assert!(marks[0].at <= marks[1].at && marks[0].at > marks[0].fire_time);

        // Somebody was killed in the middle of a word; what comes after that is not lost with it.
        let path = folder.path().join("it's a witness");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}\nend default/ti{text}\nend default/tick 0")).unwrap();
        assert_eq!(witness.read().unwrap(), [marks.clone(), marks].concat());
    }

    #[test]
    fn lines_that_are_none_of_ours_are_refused() {
        for line in ["start .", "begin a b c d e f .\n", "start default/x no-id 1 1 2026-03-08T07:30:00Z 1 .\n"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("witness");
            std::fs::write(&path, line).unwrap();
            assert!(Witness::new(&path).read().is_err(), "{line}");
        }
    }
}
