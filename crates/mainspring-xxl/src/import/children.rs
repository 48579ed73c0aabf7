//! Children of jobs: they become jobs that start after their parents.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{JobSpec, Routing};

use super::dump::Row;
use super::report::{Item, Kind, xxl_id};
use crate::family;

/// The rows of jobs by their ids, and which of them start which.
#[derive(Default)]
pub(super) struct Families<'a> {
    rows: BTreeMap<i64, &'a Row>,
}

impl<'a> Families<'a> {
    /// Takes a row. False: another one has the same id.
    pub(super) fn add(&mut self, id: i64, row: &'a Row) -> bool {
        let is_new = !self.rows.contains_key(&id);
        self.rows.entry(id).or_insert(row);
        is_new
    }

    /// The row that a job was made of.
    pub(super) fn row(&self, job: &JobSpec) -> Option<&'a Row> {
        self.rows.get(&xxl_id(job)?).copied()
    }

    /// Lets the jobs start after their parents. What cannot be is said of the parent.
    pub(super) fn link(&self, jobs: &mut [JobSpec], items: &mut [Item]) {
        let names: BTreeMap<i64, String> =
            jobs.iter().filter_map(|job| Some((xxl_id(job)?, job.name.clone()))).collect();
        let spreading: BTreeSet<i64> =
            jobs.iter().filter(|job| job.routing == Some(Routing::ShardingBroadcast)).filter_map(xxl_id).collect();
        let mut parents: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        let mut note = |id: i64, text: String| {
            if let Some(item) = items.iter_mut().find(|item| item.kind == Kind::Job && item.id == id) {
                item.change(text);
            }
        };
        for (id, row) in &self.rows {
            for bad in words(row).filter(|word| word.parse::<i64>().is_err()) {
                note(*id, format!("its child {bad:?} is no number, and is not started"));
            }
            let mut starts = false;
            for child in children(row) {
                match (names.get(id), self.refused(*id, child, &names)) {
                    (Some(_), Some(why)) => note(*id, why),
                    (Some(name), None) => {
                        parents.entry(child).or_default().push(name.clone());
                        starts = true;
                    }
                    (None, _) if names.contains_key(&child) && child != *id => {
                        note(child, format!("job {id} is refused, and does not start it"));
                    }
                    (None, _) => {}
                }
            }
            if starts && spreading.contains(id) {
                note(
                    *id,
                    "its children start once, when all its shards have succeeded; there once for each shard".into(),
                );
            }
        }
        for job in jobs {
            let after = xxl_id(job).and_then(|id| parents.remove(&id)).unwrap_or_default();
            after.iter().for_each(|parent| family::follow(job, parent));
        }
    }

    /// Why a child is not started after a job.
    fn refused(&self, id: i64, child: i64, names: &BTreeMap<i64, String>) -> Option<String> {
        match () {
            () if child == id => {
                Some("it is its own child, which 2.5.0 and later pass over: it does not start itself".into())
            }
            () if !self.rows.contains_key(&child) => {
                Some(format!("its child {child} is not in the dump, and is not started"))
            }
            () if !names.contains_key(&child) => Some(format!("its child {child} is refused, and is not started")),
            () if self.reaches(child, id) => Some(format!(
                "its child {child} is not started after it: that one starts it again, by way of others or not, and both ran for ever there"
            )),
            () => None,
        }
    }

    /// Whether a job starts another one, by way of others or not.
    fn reaches(&self, from: i64, to: i64) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(id) = open.pop() {
            if id == to {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.rows.get(&id).into_iter().flat_map(|row| children(row)));
            }
        }
        false
    }
}

/// The children of a job, each once.
fn children(row: &Row) -> BTreeSet<i64> {
    words(row).filter_map(|word| word.parse().ok()).collect()
}

fn words(row: &Row) -> impl Iterator<Item = &str> {
    let all = row.get("child_jobid").unwrap_or_default();
    all.split(',').map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::import::{Imported, Options, Outcome, Tables, import};

    use super::*;

    const TABLES: &str = "CREATE TABLE xxl_job_group (id int, app_name varchar(64));
INSERT INTO xxl_job_group VALUES (1,'mail');
CREATE TABLE xxl_job_info (id int, job_group int, schedule_type varchar(50), schedule_conf varchar(128), executor_route_strategy varchar(50),
 executor_handler varchar(255), glue_type varchar(50), child_jobid varchar(255), trigger_status tinyint);
";

    /// Imports jobs: id, group, schedule, route, children, status.
    fn imported(jobs: &[(i64, i64, &str, &str, &str, u8)], activate: bool) -> Imported {
        let row = |(id, group, kind, route, children, status): &(i64, i64, &str, &str, &str, u8)| {
            let conf = if *kind == "CRON" { "0 0 2 * * ?" } else { "" };
            format!("({id},{group},'{kind}','{conf}','{route}','h','BEAN','{children}',{status})")
        };
        let rows: Vec<String> = jobs.iter().map(row).collect();
        let dump = format!("{TABLES}INSERT INTO xxl_job_info VALUES {};", rows.join(","));
        let options = Options { timezone: "UTC".to_owned(), activate, mail_channel: None, scripts_here: Vec::new() };
        import(&Tables::read(dump.as_bytes()).unwrap(), &options)
    }

    fn after(imported: &Imported, id: i64) -> Vec<String> {
        family::parents(imported.bundle.jobs.iter().find(|job| xxl_id(job) == Some(id)).unwrap())
    }

    fn item(imported: &Imported, id: i64) -> &Item {
        imported.items.iter().find(|item| item.kind == Kind::Job && item.id == id).unwrap()
    }

    #[test]
    fn children_start_after_their_parents_and_keep_their_own_schedules() {
        let imported = imported(
            &[
                (1, 1, "CRON", "FIRST", "3, 4,3", 1),
                (2, 1, "CRON", "FIRST", "4", 1),
                (3, 1, "NONE", "FIRST", "", 0),
                (4, 1, "CRON", "FIRST", "", 1),
                (5, 1, "CRON", "FIRST", "6", 1),
                (6, 1, "CRON", "FIRST", "", 0),
            ],
            true,
        );
        assert_eq!((after(&imported, 3).concat(), after(&imported, 4).concat()), ("h-1".into(), "h-1h-2".into()));
        assert!(imported.items.iter().all(|item| item.kind != Kind::Job || item.outcome == Outcome::Exact));
        let shape = |id: i64| {
            let job = imported.bundle.jobs.iter().find(|job| xxl_id(job) == Some(id)).unwrap();
            let triggers =
                job.triggers.iter().map(|trigger| (trigger.cron.is_some(), trigger.paused)).collect::<Vec<_>>();
            (job.paused, triggers)
        };
        // Parents started children there that were stopped.
        assert_eq!(shape(3), (None, vec![(false, None)]));
        assert_eq!(shape(4), (None, vec![(true, None), (false, None)]));
        assert_eq!(shape(6), (None, vec![(true, Some(true)), (false, None)]));
        assert!(item(&imported, 6).becomes.as_ref().unwrap().ends_with(", its own schedule paused as it was"));
    }

    #[test]
    fn without_activation_all_rest_and_schedules_that_were_stopped_stay_so() {
        let imported = imported(&[(1, 1, "CRON", "FIRST", "2", 1), (2, 1, "CRON", "FIRST", "", 0)], false);
        assert!(imported.bundle.jobs.iter().all(|job| job.paused == Some(true)));
        assert_eq!(imported.bundle.jobs[1].triggers[0].paused, Some(true));
    }

    #[test]
    fn what_cannot_follow_is_said_with_the_reason() {
        let imported = imported(
            &[
                (1, 1, "CRON", "FIRST", "2,1", 1),
                (2, 1, "CRON", "FIRST", "3", 1),
                (3, 1, "CRON", "FIRST", "1,4,99", 1),
                (4, 1, "CRON", "FIRST", "", 1),
                (5, 9, "CRON", "FIRST", "4", 1),
                (6, 1, "CRON", "SHARDING_BROADCAST", "4,5", 1),
            ],
            true,
        );
        for (id, note) in [
            (1, "it is its own child"),
            (1, "its child 2 is not started after it: that one starts it again"),
            (2, "its child 3 is not started after it"),
            (3, "its child 1 is not started after it"),
            (3, "its child 99 is not in the dump"),
            (4, "job 5 is refused, and does not start it"),
            (6, "its children start once, when all its shards have succeeded"),
            (6, "its child 5 is refused"),
        ] {
            let item = item(&imported, id);
            assert!(item.notes.iter().any(|said| said.contains(note)), "{id} {note}: {item:?}");
        }
        assert_eq!((after(&imported, 4).concat(), after(&imported, 1).len()), ("h-3h-6".into(), 0));
    }

    #[test]
    fn a_job_that_is_refused_later_starts_nobody_and_is_started_by_nobody() {
        let jobs = [(1, 1, "CRON", "FIRST", "2", 1), (2, 1, "CRON", "FIRST", "3", 1), (3, 1, "NONE", "FIRST", "", 1)];
        let mut imported = imported(&jobs, true);
        imported.refuse_job(1, "it never fires");
        assert_eq!(imported.bundle.jobs.len(), 2);
        assert_eq!(imported.bundle.jobs[1].triggers, []);
        assert_eq!(item(&imported, 1).notes, ["its child 2 is refused, and is not started"]);
        assert_eq!(item(&imported, 3).notes, ["job 2 is refused, and does not start it"]);
    }
}
