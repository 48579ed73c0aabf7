//! Versions of scripts that XXL-JOB kept.

use std::collections::BTreeMap;

use mainspring_api::{JobSpec, XxlGlue, XxlLanguage};

use super::dump::{Row, Tables};
use super::report::xxl_id;
use crate::words::GlueType;

/// Versions of a script that XXL-JOB kept at most, and that are kept here.
const KEPT: usize = 30;

/// The versions of the script of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The name of the job here.
    pub job: String,
    /// Its versions, oldest first: the newest 30.
    pub versions: Vec<OldScript>,
}

/// A version of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldScript {
    /// Its id there.
    pub id: i64,
    /// What it is written in.
    pub language: XxlLanguage,
    /// The script.
    pub source: String,
    /// What was changed.
    pub remark: Option<String>,
    /// When it was saved, in the zone of the old server: `2026-01-31 23:59:59`.
    pub saved: String,
}

/// Reads the versions of scripts of jobs, and says which are not taken.
pub(super) fn read(tables: &Tables, jobs: &[JobSpec]) -> (Vec<History>, Vec<String>) {
    let has_script = |job: &&JobSpec| job.xxl.as_ref().is_some_and(|xxl| xxl.glue.is_some());
    let names: BTreeMap<i64, &str> =
        jobs.iter().filter(has_script).filter_map(|job| Some((xxl_id(job)?, job.name.as_str()))).collect();
    let mut found: BTreeMap<i64, Vec<OldScript>> = BTreeMap::new();
    let (mut strange, mut unread) = (0_usize, 0_usize);
    for row in tables.rows("xxl_job_logglue") {
        match (row.number("job_id").filter(|job| names.contains_key(job)), script(row)) {
            (None, _) => strange += 1,
            (Some(_), None) => unread += 1,
            (Some(job), Some(script)) => found.entry(job).or_default().push(script),
        }
    }
    let history = |(job, mut versions): (i64, Vec<OldScript>)| {
        versions.sort_by_key(|version| version.id);
        let excess = versions.len().saturating_sub(KEPT);
        History { job: names[&job].to_owned(), versions: versions.split_off(excess) }
    };
    let notes = [
        (strange, "are of jobs that are not imported as scripts"),
        (unread, "are empty, too long or in a language that is unknown"),
    ];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0);
    let notes = notes
        .map(|(count, why)| format!("older versions of scripts that are not imported because they {why}: {count}"));
    (found.into_iter().map(history).collect(), notes.collect())
}

fn script(row: &Row) -> Option<OldScript> {
    let source =
        row.get("glue_source").filter(|source| !source.trim().is_empty() && source.len() <= XxlGlue::SOURCE_MAX)?;
    Some(OldScript {
        id: row.number("id")?,
        language: GlueType::from_word(row.text("glue_type")?)?.ours()?,
        source: source.to_owned(),
        remark: row.text("glue_remark").map(|remark| remark.chars().take(XxlGlue::REMARK_MAX).collect()),
        saved: row.text("add_time").or_else(|| row.text("update_time")).unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_for_jobs_that_have_scripts() {
        let row =
            |id: i64, job: i64, kind: &str| format!("({id},{job},'{kind}','echo {id}','r{id}','2020-01-31 23:59:59')");
        let mut rows =
            vec![row(2, 7, "GLUE_SHELL"), row(1, 7, "GLUE_SHELL"), row(3, 8, "GLUE_SHELL"), row(4, 7, "GLUE_LUA")];
        let dump = |rows: &[String]| {
            let table = "CREATE TABLE xxl_job_info (id int); CREATE TABLE xxl_job_logglue (id int, job_id int, glue_type varchar(50), glue_source text, glue_remark varchar(128), add_time datetime);";
            Tables::read(format!("{table}INSERT INTO xxl_job_logglue VALUES {};", rows.join(",")).as_bytes()).unwrap()
        };
        let job: JobSpec = serde_json::from_str(
            r#"{"name":"job-7","labels":{"xxl-id":"7"},"xxl":{"app":"a","glue":{"language":"shell","source":"x"}}}"#,
        )
        .unwrap();
        let (histories, notes) = read(&dump(&rows), std::slice::from_ref(&job));
        let ids: Vec<i64> = histories[0].versions.iter().map(|version| version.id).collect();
        assert_eq!((histories[0].job.as_str(), ids), ("job-7", vec![1, 2]));
        assert_eq!(histories[0].versions[0].remark.as_deref(), Some("r1"));
        assert!(notes.len() == 2 && notes.iter().all(|note| note.ends_with(": 1")), "{notes:?}");
        rows.extend((5..40).map(|id| row(id, 7, "GLUE_SHELL")));
        let (histories, _) = read(&dump(&rows), &[job]);
        assert_eq!((histories[0].versions.len(), histories[0].versions[0].id), (30, 10));
    }
}
