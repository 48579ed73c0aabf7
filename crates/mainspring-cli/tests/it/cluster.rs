//! Nodes in processes of their own, over one PostgreSQL database whose server `MAINSPRING_TEST_POSTGRES` names.

use mainspring_api::client::Client;
use mainspring_api::{GapFilter, HealthStatus, NodeState};
use mainspring_core::Timestamp;
use mainspring_engine::{Clock, SystemClock};
use mainspring_rig::Bounds;
use mainspring_store::Store;
use serde_json::json;

use crate::arena::{Arena, shared_by};
use crate::live::{Live, until};
use crate::program::Program;

const JOBS: usize = 60;
/// From the death of a node to the first fires of its shards.
const TAKEOVER_MS: i64 = 8_000;

#[test]
fn a_killed_node_is_replaced_and_no_instant_is_lost() {
    let late_ms = killed_and_replaced();
    assert!(late_ms > 0, "the fires of the dead node had to wait");
}

/// Real time: a test of `make proof`.
#[test]
fn a_killed_node_is_replaced_within_eight_seconds() {
    let late_ms = killed_and_replaced();
    assert!((1..=TAKEOVER_MS).contains(&late_ms), "the latest fire came {late_ms} ms late");
}

/// Returns how late the latest fire was after the death of a node.
fn killed_and_replaced() -> i64 {
    let arena = Arena::shared();
    let nodes = arena.three();
    let jobs: Vec<_> = (0..JOBS)
        .map(|number| json!({"name": format!("each-{number}"), "noop": true, "schedule": {"every": "1s"}}))
        .collect();
    arena.apply(&nodes[1], &json!({ "jobs": jobs }));
    arena.work(&nodes[1]);

    let [killed_node, a, b] = arena.owner_first(nodes, "slow");
    killed_node.kill();
    let killed = SystemClock.now();
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    arena.recorded(SystemClock.now());
    let late_ms = arena.runtime.block_on(seen_by_api(&b.client(), killed));
    let report = arena.accounted(Bounds::default());
    assert!(report.missed == 0 && report.lost_attempts > 0, "{report}");
    let late_ms = late_ms.max(report.latest_ms);

    let (status, said) = b.stop();
    assert_eq!(status.code(), Some(0), "{said}");
    arena.sees(&a, "the last node has everything", shared_by(1));
    let report = arena.accounted(Bounds::default());
    assert_eq!(report.missed, 0, "{report}");
    late_ms
}

/// Through the API: each job's runs are a second apart, and there are no gaps. Answers how late the latest was recorded.
async fn seen_by_api(client: &Client, killed: Timestamp) -> i64 {
    let mut late_ms = 0;
    for number in 0..JOBS {
        let job = format!("each-{number}");
        let filter = mainspring_api::RunFilter { limit: Some(1_000), job: Some(job.clone()), ..Default::default() };
        let runs = client.runs("default", &filter).await.unwrap().items;
        let mut fires: Vec<i64> = runs.iter().map(|run| run.fire_at.unwrap().as_millis()).collect();
        fires.sort_unstable();
        assert!(fires.windows(2).all(|pair| pair[1] - pair[0] == 1_000), "{job}: {fires:?}");
        assert!(*fires.last().unwrap() > killed.as_millis());
        let gaps = client.trigger_gaps("default", &job, "every", &GapFilter::default()).await.unwrap();
        assert!(gaps.items.is_empty(), "{gaps:?}");
        let late = runs.iter().map(|run| run.created_at.as_millis() - run.due_at.unwrap().as_millis());
        late_ms = late_ms.max(late.max().unwrap());
    }
    late_ms
}

#[test]
fn a_node_is_drained_by_name() {
    let nodes = Arena::shared();
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    assert!(b.welcome.contains("token file:   a/token"), "{}", b.welcome);
    nodes.sees(&a, "two nodes share the shards", shared_by(2));
    let ask = |arguments: &[&str]| {
        let url = a.url.clone();
        let mut all = vec!["cluster"];
        all.extend(arguments);
        all.extend(["--server", &url]);
        nodes.program.run(&all)
    };
    let status = ask(&["status"]);
    assert!(status.stdout.contains("256 of 256 have an owner"), "{status:?}");
    assert!(status.stdout.contains("b: active, 128 shards"), "{status:?}");
    assert_eq!(ask(&["nodes", "-o", "name"]).stdout, "a\nb\n");
    assert_eq!(ask(&["shards", "--node", "b", "-o", "name"]).stdout.lines().count(), 128);
    let listed: serde_json::Value = serde_json::from_str(&ask(&["nodes", "-o", "json"]).stdout).unwrap();
    assert_eq!(listed["items"][1]["address"], b.url.as_str(), "{listed}");

    let unknown = ask(&["drain", "c"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    assert!(unknown.stderr.starts_with("error[node.not_found]") && unknown.stderr.contains("hint: "), "{unknown:?}");

    let asked = ask(&["drain", "b", "--reason", "new kernel"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "b is asked to give its shards up\n"), "{asked:?}");
    let drained = nodes.sees(&a, "a has everything", |cluster| cluster.nodes[0].shards == 256);
    assert!(drained.nodes[1].drain_asked, "{:?}", drained.nodes);
    nodes.sees(&b, "b knows", |cluster| cluster.nodes[1].state == NodeState::Draining);
    let ready = |node: &Live| nodes.runtime.block_on(node.client().readyz()).unwrap();
    assert_eq!((ready(&a).status, ready(&b).status), (HealthStatus::Ok, HealthStatus::Draining));
    assert!(ready(&a).checks.iter().any(|check| check.name == "cluster" && check.ok));

    assert_eq!(ask(&["undrain", "b"]).stdout, "b may take shards again\n");
    nodes.sees(&a, "they share again", shared_by(2));
}

#[test]
fn a_further_node_says_how_to_get_in_and_refuses_another_token() {
    let nodes = Arena::shared();
    let a = nodes.start("a");
    let arguments = |name: &'static str| ["server", "--store", &nodes.address, "--node-name", name, "--data", name];
    let b = Live::start_with(&nodes.program, &arguments("b"));
    assert!(b.welcome.contains("token file:   none here"), "{}", b.welcome);
    assert!(!b.welcome.contains("access token: ms_"), "{}", b.welcome);
    nodes.sees(&a, "b joins", |cluster| cluster.nodes.len() == 2);
    let token = std::fs::read_to_string(nodes.program.home().join("a/token")).unwrap();
    let client = Client::builder(&b.url).token(token.trim()).build().unwrap();
    assert_eq!(nodes.runtime.block_on(client.cluster()).unwrap().nodes.len(), 2);
    let strange = Client::builder(&b.url).token("ms_strange").build().unwrap();
    assert!(nodes.runtime.block_on(strange.cluster()).is_err());

    let wrong = nodes.program.file("wrong", "w".repeat(40));
    let mut all = arguments("c").to_vec();
    all.extend(["--token-file", &wrong, "--listen", "127.0.0.1:0"]);
    let refused = nodes.program.run(&all);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("error[server.start]") && refused.stderr.contains("another access token"));
}

#[test]
fn the_password_of_the_store_is_not_shown() {
    let program = Program::new();
    let url = "postgres://me:hunter2@127.0.0.1:1/jobs";
    let help = program.command(&["server", "--help"]).env("MAINSPRING_STORE", url).output().unwrap();
    let failed = program.run(&["server", "--store", url, "--listen", "127.0.0.1:0"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.stderr.starts_with("error[store.unusable]"), "{failed:?}");
    assert!(failed.stderr.contains("hint: say postgres://USER:PASSWORD@HOST/DATABASE"), "{failed:?}");
    for text in [failed.stderr, failed.stdout, String::from_utf8(help.stdout).unwrap()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_server_alone_owns_every_shard_and_cannot_be_drained() {
    let program = Program::new();
    let _live = Live::start_with(&program, &["server", "--data", "data", "--node-name", "alone"]);
    let status = program.run(&["cluster", "status"]);
    assert!(status.stdout.contains("alone: active, 256 shards"), "{status:?}");
    let refused = program.run(&["cluster", "drain", "alone"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.stderr.starts_with("error[cluster.single]"), "{refused:?}");
    let unknown = program.run(&["cluster", "shards", "--node", "alon"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    assert!(unknown.stderr.contains("did you mean \"alone\"?"), "{unknown:?}");
}

/// The database of the tests does not wait for the disk.
#[test]
fn doctor_tells_what_the_database_puts_at_risk() {
    let nodes = Arena::shared();
    let _node = nodes.start("a");
    // A store that takes long to answer, on a busy machine, is found fault with, too.
    let told = until(&nodes.program, &["doctor"], |told| told.code == 0);
    assert!(told.stdout.contains("store.not_durable") && told.stdout.contains("fsync=off"), "{told:?}");
}

/// What a newer version writes when it changes the store in a way that this one cannot live with.
#[test]
fn a_node_that_is_too_old_drains_ends_well_and_does_not_start_again() {
    let nodes = Arena::shared();
    let node = nodes.start("a");
    nodes.sees(&node, "it has all shards", shared_by(1));
    let address = nodes.address.clone();
    let store = mainspring_store::PostgresStore::open(&address).unwrap();
    nodes.runtime.block_on(store.set_setting(mainspring_store::LEAST_VERSION, "99.1")).unwrap();
    let (status, said) = node.ended();
    assert!(status.success(), "{status}: {said}");
    assert!(said.contains("the store is for version 99.1 and newer now; upgrade this node"), "{said}");
    let shards = nodes.runtime.block_on(owned_shards(&store));
    assert_eq!(shards, 0, "it has handed its shards over");
    let again = nodes.program.run(&["server", "--store", &address, "--data", "a", "--listen", "127.0.0.1:0"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.starts_with("error[node.too_old]") && again.stderr.contains("99.1"), "{again:?}");
}

async fn owned_shards(store: &mainspring_store::PostgresStore) -> usize {
    use mainspring_core::cluster::{Renewal, Standing};
    let about = mainspring_store::NodeInfo { name: "look".into(), address: String::new(), version: String::new() };
    let renewal = Renewal { join: true, standing: Standing::Draining, clock_offset_ms: None, answer_ms: None };
    let cluster = store.cluster().unwrap();
    cluster.renew(mainspring_core::Incarnation(1), &about, renewal).await.unwrap().shards.len()
}
