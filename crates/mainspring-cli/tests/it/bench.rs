//! Each benchmark with a few triggers: that it counts, refuses what it must, and prints what it promises.

use mainspring_store::conformance::kit;
use serde_json::Value;

use crate::program::{Ended, Program};

const FIRES: [&str; 10] = [
    "store",
    "nodes",
    "fires",
    "seconds",
    "fires_per_second",
    "lateness_ms",
    "lost",
    "duplicates",
    "cpu_seconds",
    "rss_mb",
];

/// The object that a benchmark printed in one line.
fn report(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Exactly these keys, but for those of a database server that can be seen.
fn has_keys(report: &Value, promised: &[&str]) {
    let mut promised = promised.to_vec();
    promised.sort_unstable();
    let keys = report.as_object().unwrap().keys().map(String::as_str);
    let mut keys: Vec<&str> = keys.filter(|key| !key.starts_with("database_")).collect();
    keys.sort_unstable();
    assert_eq!(keys, promised);
}

fn nothing_is_wrong(report: &Value) {
    assert_eq!((&report["lost"], &report["duplicates"]), (&0.into(), &0.into()), "{report}");
}

fn database() -> String {
    tokio::runtime::Runtime::new().unwrap().block_on(kit::postgres())
}

#[test]
fn fires_of_one_node_are_counted() {
    let program = Program::new();
    for store in ["memory:", "sqlite:bench.db"] {
        let drained = ["bench", "fires", "--store", store, "--triggers", "300", "--drain", "--seconds", "60", "--json"];
        let report = report(&program.run(&drained));
        has_keys(&report, &FIRES);
        nothing_is_wrong(&report);
        assert_eq!((&report["fires"], &report["nodes"]), (&300.into(), &1.into()), "{report}");
        assert_eq!(report.get("database_cpu_seconds"), None);
    }
    let again = program.run(&["bench", "fires", "--store", "sqlite:bench.db", "--drain"]);
    assert_eq!(again.code, 4, "{again:?}");
}

#[test]
fn nodes_in_processes_of_their_own_share_the_fires() {
    let (program, database) = (Program::new(), database());
    let drained = ["--triggers", "600", "--drain", "--seconds", "60", "--json"];
    let three = ["bench", "fires", "--store", &database, "--nodes", "3"];
    let report = report(&program.run(&[&three[..], &drained].concat()));
    has_keys(&report, &FIRES);
    nothing_is_wrong(&report);
    assert_eq!((&report["fires"], &report["nodes"]), (&600.into(), &3.into()), "{report}");

    let again = program.run(&["bench", "idle", "--store", &database, "--triggers", "1"]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.stderr.starts_with("error[bench.store]: the store is not empty: it holds 600 jobs"), "{again:?}");
    assert!(again.stderr.contains("hint: a benchmark fills the store"), "{again:?}");
}

#[test]
fn a_killed_node_is_measured_and_nothing_is_lost() {
    let (program, database) = (Program::new(), database());
    let load = ["--triggers", "200", "--capacity", "250", "--seconds", "2", "--json"];
    let killed = program.run(&[&["bench", "failover", "--store", &database][..], &load].concat());
    let report = report(&killed);
    nothing_is_wrong(&report);
    assert_eq!((&report["nodes"], &report["rate"]), (&3.into(), &200.into()), "{report}");
    assert!((85..=86).contains(&report["shards"].as_i64().unwrap()), "{report}");
    let ms = |key: &str| report[key].as_i64().unwrap();
    assert!(ms("owned_ms") > 0 && ms("first_fire_ms") > 0, "{report}");
    assert!(report["lateness_ms"]["max"].as_i64().unwrap() > 1_000, "the dead node's triggers had to wait: {report}");
}

#[test]
fn a_herd_and_an_idle_node_are_measured() {
    let program = Program::new();
    let sizes = ["--triggers", "400", "--others", "20", "--rate", "100", "--json"];
    let herd = report(&program.run(&[&["bench", "herd", "--store", "sqlite:herd.db"][..], &sizes].concat()));
    nothing_is_wrong(&herd);
    assert_eq!((&herd["fires"], &herd["triggers"]), (&400.into(), &400.into()), "{herd}");
    for key in ["drain_seconds", "lateness_ms", "others_fires", "others_lateness_ms", "cpu_seconds", "rss_mb"] {
        assert!(herd.get(key).is_some(), "{key}: {herd}");
    }
    let idle = ["bench", "idle", "--store", "sqlite:idle.db", "--triggers", "700", "--seconds", "1", "--json"];
    let idle = report(&program.run(&idle));
    has_keys(&idle, &["store", "triggers", "start_seconds", "seconds", "cpu_percent", "rss_mb", "duplicates"]);
    assert_eq!((&idle["triggers"], &idle["duplicates"]), (&700.into(), &0.into()), "{idle}");
}

#[test]
fn runs_of_workers_in_processes_of_their_own_are_counted() {
    let program = Program::new();
    let load = ["--triggers", "300", "--drain", "--slots", "40", "--workers", "2", "--waiting", "20", "--json"];
    let runs =
        report(&program.run(&[&["bench", "runs", "--store", "sqlite:runs.db", "--seconds", "60"][..], &load].concat()));
    nothing_is_wrong(&runs);
    assert_eq!((&runs["runs"], &runs["workers"], &runs["waiting"]), (&300.into(), &2.into(), &20.into()), "{runs}");
    for key in ["runs_per_second", "start_ms", "lateness_ms", "server_cpu_seconds", "workers_cpu_seconds"] {
        assert!(runs.get(key).is_some(), "{key}: {runs}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let program = Program::new();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["fires", "--nodes", "3", "--drain"], 2, "error[bench.nodes]: a store in memory can have one node only"),
        (&["herd", "--nodes", "2", "--store", "sqlite:a.db"], 2, "error[bench.nodes]: SQLite can have one node only"),
        (&["runs", "--drain"], 2, "error[bench.nodes]: a store in memory"),
        (&["failover"], 2, "error[bench.nodes]"),
        (&["failover", "--nodes", "1"], 2, "error[cli.usage]: invalid value '1' for '--nodes <N>'"),
        (&["fires"], 2, "error[cli.usage]: the following required arguments were not provided"),
        (&["idle", "--store", "redis:cache"], 1, "error[store.unusable]"),
        (&["idle", "--store", "postgres://me:secret@127.0.0.1:1/jobs"], 1, "error[store.unusable]"),
    ];
    for (arguments, code, said) in cases {
        let refused = program.run(&[&["bench"][..], arguments].concat());
        assert_eq!(refused.code, *code, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.starts_with(said), "{arguments:?}: {refused:?}");
        assert!(!refused.stderr.contains("secret"), "{refused:?}");
    }
    assert_eq!(std::fs::read_dir(program.home()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn stuck_runs_leave_slots_to_short_ones() {
    let program = Program::new();
    let load = ["--triggers", "10", "--rate", "50", "--slots", "8", "--stuck", "20", "--seconds", "15", "--json"];
    let runs = report(&program.run(&[&["bench", "runs", "--store", "sqlite:stuck.db"][..], &load].concat()));
    nothing_is_wrong(&runs);
    assert_eq!(runs["stuck"], 20, "{runs}");
    assert!(runs["runs"].as_i64().unwrap() > 500, "those that are due when the others are stuck: {runs}");
    let (before, beside) = (&runs["before_ms"]["p99"], &runs["lateness_ms"]["p99"]);
    assert!(before.is_number() && beside.is_number(), "{runs}");
}
