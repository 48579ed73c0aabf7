//! Dumps of every range of releases, as `mariadb-dump` writes them.

use std::path::Path;

use mainspring_api::{Overlap, Routing};
use mainspring_xxl::import::{Counts, DumpError, Imported, Item, Kind, Options, Outcome, Tables, import};

/// The ranges of releases, and what they are recognised as.
const RANGES: [(&str, &str); 10] = [
    ("2.0.1-2.0.2", "2.0"),
    ("2.1.0", "2.1"),
    ("2.1.1", "2.1"),
    ("2.1.2", "2.1"),
    ("2.2.0", "2.2"),
    ("2.3.0-2.4.2", "2.3-3.1"),
    ("2.5.0-3.1.1", "2.3-3.1"),
    ("3.2.0-3.3.2", "3.2-3.3"),
    ("3.4.0-3.4.2", "3.4"),
    ("3.5.0-SNAPSHOT", "3.5"),
];

fn dump(range: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dumps");
    std::fs::read(folder.join(format!("{range}.sql"))).unwrap()
}

fn imported(range: &str) -> Imported {
    let options =
        Options { timezone: "Asia/Shanghai".to_owned(), activate: true, mail_channel: None, scripts_here: Vec::new() };
    import(&Tables::read(&dump(range)).unwrap(), &options)
}

fn job(imported: &Imported, id: i64) -> &Item {
    imported.items.iter().find(|item| item.kind == Kind::Job && item.id == id).unwrap()
}

#[test]
fn jobs_of_every_release_become_the_same() {
    for (range, release) in RANGES {
        let imported = imported(range);
        assert_eq!(imported.release, release, "{range}");
        let names: Vec<&str> = imported.bundle.jobs.iter().map(|job| job.name.as_str()).collect();
        let kept =
            ["demoJobHandler-1", "tick-2", "job-3", "job-4", "job-5", "parent-6", "child-7", "never-8", "shards-9"];
        assert_eq!(names, kept, "{range}");
        let first = &imported.bundle.jobs[0];
        assert_eq!(first.description.as_deref(), Some("测试任务1"), "{range}");
        let xxl = first.xxl.as_ref().unwrap();
        assert_eq!((xxl.params.as_deref(), xxl.id), (Some("a=\"1\"; b='2'\nc"), Some(1)), "{range}");
        assert_eq!((first.retries, first.timeout.as_deref()), (Some(3), Some("30s")), "{range}");
        assert_eq!(first.triggers[0].cron.as_deref(), Some("0 0 0 * * ? *"), "{range}");
        assert_eq!(first.paused, if release == "2.0" { Some(true) } else { None }, "{range}");
        assert_eq!(imported.bundle.jobs[1].paused, Some(true), "{range}: it was stopped");
        let script = imported.bundle.jobs[2].xxl.as_ref().unwrap();
        let source = "#!/bin/bash\necho \"it's; -- not a comment\" # but this is\necho 'a\\tb' \\\\ `date` /* glob */ $1\necho 中文 𝄞; exit 0\n";
        let glue = script.glue.as_ref().unwrap();
        assert_eq!((glue.source.as_str(), script.params.as_deref()), (source, Some("p 1")), "{range}");
        let shards = &imported.bundle.jobs[8];
        assert_eq!(
            (shards.routing, shards.overlap_policy()),
            (Some(Routing::ShardingBroadcast), Overlap::CancelRunning)
        );
        assert_eq!(shards.xxl.as_ref().map(|xxl| xxl.app.as_str()), Some("billing"), "{range}");
    }
}

#[test]
fn schedules_follow_the_columns_that_a_release_has() {
    for (range, release) in RANGES {
        let imported = imported(range);
        let has_types = !matches!(release, "2.0" | "2.1" | "2.2");
        let tick = &imported.bundle.jobs[1].triggers[0];
        assert_eq!((tick.every.as_deref(), tick.cron.is_some()), (has_types.then_some("30s"), !has_types), "{range}");
        assert_eq!(imported.bundle.jobs[6].triggers.is_empty(), has_types, "{range}: type NONE is from 2.3 on");
    }
}

#[test]
fn every_item_of_every_release_has_its_outcome() {
    for (range, ..) in RANGES {
        let imported = imported(range);
        let outcomes: Vec<Outcome> = (1..=10).map(|id| job(&imported, id).outcome).collect();
        use Outcome::{Changed, Exact, Refused};
        let tick = if job(&imported, 2).becomes.as_ref().is_some() && imported.bundle.jobs[1].triggers[0].cron.is_some()
        {
            Exact
        } else {
            Changed
        };
        assert_eq!(
            outcomes,
            [Exact, tick, Changed, Changed, Changed, Changed, Changed, Exact, Exact, Refused],
            "{range}"
        );
        assert!(job(&imported, 10).notes[0].contains("group 99"), "{range}");
        assert_eq!(imported.counts(Kind::App), Counts { exact: 1, changed: 1, refused: 0 }, "{range}");
        let notes = &job(&imported, 6).notes;
        assert!(notes.iter().any(|note| note.contains("that one starts it again")), "{range}: {notes:?}");
    }
}

#[test]
fn a_dump_that_is_cut_anywhere_is_refused_or_lacks_nothing_that_it_has() {
    let whole = dump("3.4.0-3.4.2");
    let text = String::from_utf8(whole.clone()).unwrap();
    let insert = text.find("INSERT INTO `xxl_job_info`").unwrap();
    let end = insert + text[insert..].find(";\n/*!40000 ALTER TABLE").unwrap();
    for at in (insert + 1..=end).filter(|at| text.is_char_boundary(*at)).step_by(7).chain([end]) {
        let read = Tables::read(&whole[..at]);
        assert!(matches!(read, Err(DumpError::Cut { .. })), "cut at {at}: {read:?}");
    }
    assert_eq!(Tables::read(&whole[..=end]).unwrap().rows("xxl_job_info").len(), 10);
}
