//! Workers in processes of their own, with a real server, and what becomes of runs when either breaks.

use std::process::Command;
use std::time::{Duration, Instant};

use mainspring_api::{LogFilter, Reason, RunNow, RunState};
use mainspring_rig::Node;
use rustix::process::Signal;
use serde_json::Value;

use crate::arena::{Arena, shared_by};
use crate::live::{Live, until};
use crate::program::Program;
use crate::wait;

/// A worker that has joined. Killed when dropped.
struct Worker {
    process: mainspring_rig::Worker,
    id: String,
}

impl Worker {
    fn start(program: &Program, url: &str, name: &str) -> Self {
        Self::start_for(program, &[url], "data/token", name, &[])
    }

    fn start_with(program: &Program, url: &str, name: &str, more: &[&str]) -> Self {
        Self::start_for(program, &[url], "data/token", name, more)
    }

    /// One that finds another server of the cluster when its own does not answer.
    fn start_for(program: &Program, urls: &[&str], token: &str, name: &str, more: &[&str]) -> Self {
        let (token, data) = (program.home().join(token), program.home().join(name));
        let mut command = program.command(&["worker", "--queues", "remote", "--slots", "2"]);
        urls.iter().for_each(|url| _ = command.args(["--server", url]));
        command.args(["--name", name, "--kill-grace", "1s", "--log", "warn", "--token-file"]).arg(token);
        Self::of(command.arg("--data-dir").arg(data).args(more))
    }

    fn python(program: &Program, url: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/worker.py");
        let mut command = Command::new("python3");
        command.arg(script).env("MAINSPRING_SERVER", url).env("QUEUES", "remote").env("NAME", "python");
        Self::of(command.env("MAINSPRING_TOKEN_FILE", program.home().join("data/token")))
    }

    /// Waits until it says under which id it has joined.
    fn of(command: &mut Command) -> Self {
        let process = mainspring_rig::Worker::start(command).unwrap();
        let id = process.joined().unwrap();
        Self { process, id }
    }

    fn signal(&self, signal: Signal) {
        self.process.signal(signal).unwrap();
    }

    fn stop(self) {
        assert!(self.process.stop().unwrap().success());
    }

    fn kill(self) {
        self.process.kill().unwrap();
    }
}

/// Whether a server has taken a worker for dead, or warned of requests that it refused.
pub fn warns_of_workers(said: &str) -> bool {
    ["is silent", "requests failed", "were lost"].iter().any(|words| said.contains(words))
}

const SERVER: &[&str] = &["server", "--data", "data", "--queues", "default"];

/// A job of the queue that only workers take runs from.
fn job(program: &Program, name: &str, run: &str, more: Value) {
    let mut job = serde_json::json!({ "name": name, "queue": "remote", "run": run });
    job.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    if run.is_empty() {
        job.as_object_mut().unwrap().remove("run");
    }
    let file = program.file(&format!("{name}.json"), job.to_string());
    let applied = program.run(&["apply", "-f", &file]);
    assert_eq!(applied.code, 0, "{applied:?}");
}

fn start(program: &Program, job: &str) -> String {
    let started = program.run(&["run", "start", job, "-o", "name"]);
    assert_eq!(started.code, 0, "{started:?}");
    started.stdout.trim().to_owned()
}

fn run(program: &Program, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    read(&until(program, &["run", "get", id, "-o", "json"], |ended| wanted(&read(&ended.stdout))).stdout)
}

fn is_final(run: &Value) -> bool {
    ["succeeded", "failed", "cancelled"].contains(&run["state"].as_str().unwrap_or_default())
}

#[test]
fn runs_go_to_the_worker_that_their_job_picks() {
    let program = Program::new();
    let live = Live::start_with(&program, &["server", "--data", "data"]);
    let zone = serde_json::json!({ "routing": "round", "workers": { "zone": "eu" } });
    job(&program, "far", "true", zone);
    let early = start(&program, "far");
    let why = program.run(&["run", "why", &early]).stdout;
    assert!(why.contains("no worker of the queue remote with the labels that the job names is there"), "{why}");
    assert!(why.contains("mainspring worker --queues remote --label zone=eu"), "{why}");

    let _other = Worker::start_with(&program, &live.url, "other", &["--label", "zone=us"]);
    let _workers = ["a", "b"].map(|name| Worker::start_with(&program, &live.url, name, &["--label", "zone=eu"]));
    assert_eq!(run(&program, &early, is_final)["state"], "succeeded");
    let runs: Vec<String> = (0..4).map(|_| start(&program, "far")).collect();
    let names: Vec<Value> = runs.iter().map(|id| run(&program, id, is_final)["worker"].clone()).collect();
    assert!(names.iter().all(|name| name == "a" || name == "b"), "{names:?}");
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "one after the other: {names:?}");
    let shown = program.run(&["run", "get", &runs[0]]).stdout;
    assert!(shown.contains(names[0].as_str().unwrap()), "{shown}");

    job(
        &program,
        "parts",
        "echo $MS_SHARD_INDEX of $MS_SHARD_TOTAL",
        serde_json::json!({ "routing": "sharding_broadcast", "workers": { "zone": "eu" } }),
    );
    let whole = run(&program, &start(&program, "parts"), is_final);
    assert_eq!(whole["state"], "succeeded", "{whole}");
    let listed = program.run(&["run", "list", "parts", "-o", "json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let shards: Vec<&Value> =
        listed["items"].as_array().unwrap().iter().filter(|run| run["parent"] == whole["id"]).collect();
    assert_eq!(shards.len(), 2, "{listed:?}");
    for shard in shards {
        let log = program.run(&["logs", shard["id"].as_str().unwrap()]).stdout;
        assert_eq!(log, format!("{} of 2\n", shard["shard"]["index"]), "{shard}");
        assert_eq!(shard["worker"], ["a", "b"][shard["shard"]["index"].as_u64().unwrap() as usize], "in their order");
    }

    let bad = program.file("bad.json", r#"{"name": "bad", "noop": true, "routing": "round", "routing_key": "x"}"#);
    let refused = program.run(&["check", &bad]);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(refused.code != 0 && said.contains("\"routing_key\" has an effect with"), "{refused:?}");
}

#[test]
fn scripts_are_executed_by_workers_and_servers_that_allow_them() {
    let program = Program::new();
    let live = Live::start_with(&program, &[SERVER, &["--scripts"]].concat());
    let script = |queue: &str, more: Value| {
        let source = "echo \"$# $1 $2 $3\"\n";
        let mut script = serde_json::json!({ "language": "shell", "source": source });
        script.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::json!({ "queue": queue, "input": "a b", "script": script })
    };
    let ended = |name: &str| {
        let id = start(&program, name);
        let ended = run(&program, &id, is_final);
        (ended, program.run(&["logs", &id]).stdout)
    };
    job(&program, "here", "", script("default", serde_json::json!({ "args": ["x", "y z"] })));
    job(&program, "there", "", script("remote", serde_json::json!({ "xxl_args": true })));
    assert_eq!(ended("here").1, "2 x y z \n");
    let without = Worker::start(&program, &live.url, "without");
    let (failed, _) = ended("there");
    assert_eq!(failed["state"], "failed", "{failed}");
    assert!(failed["reason"].as_str().unwrap().contains("start it with --scripts"), "{failed}");
    without.stop();
    let _worker = Worker::start_with(&program, &live.url, "with", &["--scripts"]);
    assert_eq!(ended("there").1, "3 a b 0 1\n");
}

#[test]
fn a_worker_executes_runs_with_log_and_output_and_cancels_them() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let worker = Worker::start(&program, &live.url, "north");
    job(
        &program,
        "say",
        "echo hello $MS_PARAM_WHO; echo rows=3 >> $MS_OUTPUT; exit 3",
        serde_json::json!({"input": {"who": "you"}}),
    );
    job(&program, "nap", "echo begun; sleep 300", serde_json::json!({}));
    let (say, nap) = (start(&program, "say"), start(&program, "nap"));
    let said = run(&program, &say, is_final);
    assert_eq!(
        (&said["state"], &said["exit_code"], &said["output"]["rows"]),
        (&"failed".into(), &3.into(), &"3".into()),
        "{said}"
    );
    assert_eq!(program.run(&["logs", &say]).stdout, "hello you\n");
    until(&program, &["logs", &nap], |ended| ended.stdout == "begun\n");
    let list = program.run(&["worker", "show", "north"]).stdout;
    assert!(list.contains(&worker.id) && list.contains("1/2"), "{list}");
    cancel(&program, &nap);
    worker.stop();
    until(&program, &["worker", "list", "-o", "name"], |ended| ended.stdout.is_empty());
}

fn cancel(program: &Program, id: &str) {
    assert_eq!(program.run(&["run", "cancel", id]).code, 0);
    assert_eq!(run(program, id, is_final)["state"], "cancelled");
}

/// Real time: a test of `make proof`.
#[test]
fn a_request_to_end_a_run_is_not_waited_for() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let _worker = Worker::start(&program, &live.url, "north");
    job(&program, "nap", "echo begun; sleep 300", serde_json::json!({}));
    let nap = start(&program, "nap");
    until(&program, &["logs", &nap], |ended| ended.stdout == "begun\n");
    let asked = Instant::now();
    cancel(&program, &nap);
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
}

#[test]
fn runs_of_a_killed_worker_are_lost_and_the_job_says_what_follows() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let worker = Worker::start(&program, &live.url, "north");
    let script = "echo attempt $MS_ATTEMPT; test $MS_ATTEMPT = 2 || sleep 300";
    job(&program, "again", script, serde_json::json!({"on_lost": "retry", "retries": 1, "retry_delay": "1s"}));
    job(&program, "once", script, serde_json::json!({"on_lost": "fail"}));
    let (again, once) = (start(&program, "again"), start(&program, "once"));
    for id in [&again, &once] {
        until(&program, &["logs", id], |ended| ended.stdout == "attempt 1\n");
    }
    worker.kill();
    // The next one says at once that the first is gone.
    let worker = Worker::start(&program, &live.url, "north");
    let lost = run(&program, &once, is_final);
    assert_eq!((&lost["state"], &lost["reason"]), (&"failed".into(), &"lost".into()), "{lost}");
    assert_eq!(run(&program, &again, is_final)["state"], "succeeded");
    assert_eq!(program.run(&["logs", &again]).stdout, "attempt 1\nattempt 2\n");
    worker.stop();
}

#[test]
fn a_worker_that_is_stopped_for_a_while_ends_everything_and_joins_anew() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let worker = Worker::start(&program, &live.url, "north");
    let folder = program.home().display().to_string();
    let script =
        format!("echo $$ > {folder}/pid$MS_ATTEMPT; echo attempt $MS_ATTEMPT; test $MS_ATTEMPT = 2 || exec sleep 300");
    job(&program, "again", &script, serde_json::json!({"on_lost": "retry", "retries": 1, "retry_delay": "1s"}));
    let id = start(&program, "again");
    until(&program, &["logs", &id], |ended| ended.stdout == "attempt 1\n");
    let pid = std::fs::read_to_string(format!("{folder}/pid1")).unwrap();
    let is_there =
        || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|it| !it.contains(") Z "));
    assert!(is_there());
    worker.signal(Signal::STOP);
    until(&program, &["worker", "list", "-o", "name"], |ended| ended.stdout.is_empty());
    assert!(!is_there(), "its leash has ended what others may be given");
    worker.signal(Signal::CONT);
    assert_eq!(run(&program, &id, is_final)["state"], "succeeded");
    let joined = until(&program, &["worker", "list", "-o", "name"], |ended| !ended.stdout.is_empty()).stdout;
    assert_ne!(joined.trim(), worker.id);
    assert_eq!(program.run(&["logs", &id]).stdout, "attempt 1\nattempt 2\n");
    worker.stop();
}

#[test]
fn a_run_goes_on_while_the_server_is_away_and_is_reported_afterwards() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let url = live.url.clone();
    let worker = Worker::start(&program, &url, "north");
    let folder = program.home().display().to_string();
    job(
        &program,
        "long",
        &format!("echo begun; while [ ! -e {folder}/go ]; do sleep 0.05; done; echo over; echo > {folder}/over"),
        serde_json::json!({}),
    );
    let id = start(&program, "long");
    until(&program, &["logs", &id], |ended| ended.stdout == "begun\n");
    live.kill();
    program.file("go", "");
    let holds = |file: &str, words: &str| {
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap_or_default();
        if text.contains(words) { Ok(()) } else { Err(text) }
    };
    wait::blocking("the run is over", || holds("over", "\n"));
    wait::blocking("its end is in the journal", || holds("north/journal", "\"end\""));
    let address = url.trim_start_matches("http://");
    let again = program.command(&[SERVER, &["--listen", address, "--log", "warn"]].concat());
    let node = Node::start(again).unwrap();
    let ended = run(&program, &id, is_final);
    assert_eq!((&ended["state"], &ended["attempt"]), (&"succeeded".into(), &1.into()), "{ended}");
    assert_eq!(program.run(&["logs", &id]).stdout, "begun\nover\n");
    worker.stop();
    node.stop().unwrap();
}

#[test]
fn a_run_of_a_worker_outlives_a_stop_of_the_server_that_takes_longer_than_a_worker_may_be_silent() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let url = live.url.clone();
    let worker = Worker::start(&program, &url, "north");
    let go = program.home().join("go").display().to_string();
    // Others may be given a run that is tried again when it is lost, so its worker would end it soon.
    let far = serde_json::json!({"env": {"GO": go}, "on_lost": "retry", "retries": 3});
    job(&program, "far", "echo begun; while [ ! -e $GO ]; do sleep 0.05; done", far);
    // From 13 s without a sign on, a worker is taken for dead.
    job(&program, "near", "echo begun; sleep 17", serde_json::json!({"queue": "default"}));
    let ids = ["far", "near"].map(|name| start(&program, name));
    ids.iter().for_each(|id| _ = until(&program, &["logs", id], |ended| ended.stdout == "begun\n"));
    let (status, said) = live.stop();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(!warns_of_workers(&said), "nothing went wrong: {said}");
    let address = url.trim_start_matches("http://");
    let again = program.command(&[SERVER, &["--listen", address, "--log", "warn"]].concat());
    let node = Node::start(again).unwrap();
    program.file("go", "");
    let ended = run(&program, &ids[0], is_final);
    assert_eq!((&ended["state"], &ended["attempt"]), (&"succeeded".into(), &1.into()), "{ended}");
    assert_eq!(program.run(&["logs", &ids[0]]).stdout, "begun\n");
    assert_eq!(program.run(&["worker", "list", "-o", "name"]).stdout.trim(), worker.id, "it never joined anew");
    worker.stop();
    node.stop().unwrap();
}

/// One run each by the server itself, by a worker, and by the worker in Python: each goes on from the one before.
#[test]
fn data_of_a_job_is_the_same_wherever_its_runs_are_executed() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let script = r#"n=$(tr -dc 0-9 < "$MS_DATA"); echo "had ${n:-none}"; echo "{\"n\": $((n + 1))}" > "$MS_DATA""#;
    let keeps = |queue| serde_json::json!({"queue": queue, "keep_data": true, "overlap": "queue_all"});
    let counted = |expected: &str| {
        let id = start(&program, "count");
        let ended = run(&program, &id, is_final);
        assert_eq!(ended["state"], "succeeded", "{ended}");
        assert_eq!(program.run(&["logs", &id]).stdout, format!("had {expected}\n"));
    };
    job(&program, "count", script, keeps("default"));
    counted("none");
    job(&program, "count", script, keeps("remote"));
    let worker = Worker::start(&program, &live.url, "north");
    counted("1");
    worker.stop();
    let worker = Worker::python(&program, &live.url);
    counted("2");
    worker.stop();

    let shown = program.run(&["job", "data", "show", "count", "-o", "json"]).stdout;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["data"]["n"], &shown["revision"]), (&3.into(), &3.into()), "{shown}");
    let stale = program.run(&["job", "data", "set", "count", r#"{"n": 40}"#, "--revision", "2"]);
    assert!(stale.code != 0 && stale.stderr.contains("error[resource.stale]"), "{stale:?}");
    let set = program.run(&["job", "data", "set", "count", r#"{"n": 40}"#, "--revision", "3"]);
    assert_eq!((set.code, set.stdout.as_str()), (0, "set the data of default/count: revision 4\n"), "{set:?}");
    job(&program, "count", script, keeps("default"));
    counted("40");
    assert_eq!(program.run(&["job", "data", "clear", "count"]).code, 0);
    counted("none");
    job(&program, "count", script, serde_json::json!({"queue": "default"}));
    let refused = program.run(&["job", "data", "set", "count", "{}"]);
    assert!(refused.code != 0 && refused.stderr.contains("error[data.not_kept]"), "{refused:?}");
}

#[test]
fn the_example_in_python_works_for_a_real_server() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let worker = Worker::python(&program, &live.url);
    job(&program, "say", "echo hello; exit 3", serde_json::json!({}));
    job(&program, "greet", "", serde_json::json!({"handler": "greet", "input": {"who": "you"}}));
    job(&program, "nap", "echo begun; sleep 300", serde_json::json!({}));
    let ids = ["say", "greet", "nap"].map(|job| start(&program, job));
    let said = run(&program, &ids[0], is_final);
    assert_eq!((&said["state"], &said["exit_code"]), (&"failed".into(), &3.into()), "{said}");
    let greeted = run(&program, &ids[1], is_final);
    assert_eq!((&greeted["state"], &greeted["output"]["greeted"]), (&"succeeded".into(), &true.into()), "{greeted}");
    assert_eq!(program.run(&["logs", &ids[1]]).stdout, "hello, you\n");
    until(&program, &["logs", &ids[2]], |ended| ended.stdout == "begun\n");
    assert_eq!(program.run(&["run", "cancel", &ids[2]]).code, 0);
    assert_eq!(run(&program, &ids[2], is_final)["state"], "cancelled");
    worker.stop();
}

#[test]
fn a_token_of_workers_opens_what_workers_do_until_it_is_revoked() {
    let program = Program::new();
    let live = Live::start_with(&program, SERVER);
    let made = program.run(&["worker", "token", "create", "build", "--queues", "remote"]);
    assert_eq!(made.code, 0, "{made:?}");
    std::fs::create_dir_all(program.home().join("elsewhere")).unwrap();
    let token = program.file("elsewhere/token", &made.stdout);
    let with_token = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--server", &live.url, "--token-file", &token]);
        program.run(&all)
    };
    assert_eq!(with_token(&["job", "list"]).code, 5);
    let other = with_token(&["worker", "--queues", "other", "--log", "error"]);
    assert_eq!(other.code, 5, "{other:?}");
    assert!(other.stderr.contains("error[worker.queue]"), "{other:?}");
    assert_eq!(program.run(&["worker", "token", "revoke", "build"]).code, 0);
    let revoked = with_token(&["worker", "--queues", "remote", "--log", "error"]);
    assert_eq!(revoked.code, 5, "{revoked:?}");
    let unknown = program.run(&["worker", "token", "revoke", "build"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
}

#[test]
fn a_run_that_is_cancelled_while_its_worker_moves_to_another_node_ends_there_on_postgres() {
    let arena = Arena::shared();
    let start = |name| arena.start_at(name, &arena.address, &["--queues", "default"]);
    let (a, b) = (start("a"), start("b"));
    arena.sees(&b, "two nodes share the shards", shared_by(2));
    let worker = Worker::start_for(&arena.program, &[&a.url, &b.url], "a/token", "north", &[]);
    let jobs = ["cancelled", "kept"].map(|name| {
        serde_json::json!({"name": name, "queue": "remote", "run": "echo begun; while [ ! -e $GO ]; do sleep 0.05; done",
            "env": {"GO": arena.program.home().join("go").display().to_string()}})
    });
    arena.apply(&b, &serde_json::json!({ "jobs": jobs }));
    let client = b.client();
    let ask = |job| arena.runtime.block_on(client.run_job("default", job, &RunNow::default())).unwrap().id;
    let (cancelled, kept) = (ask("cancelled"), ask("kept"));
    for run in [&cancelled, &kept] {
        arena.wait("it has begun", async || {
            let page = client.log(run, &LogFilter::default()).await.ok()?;
            page.lines.iter().any(|line| line.text == "begun").then_some(())
        });
    }
    let heard_by = async || client.worker(&worker.id).await.ok()?.node;
    assert_eq!(arena.runtime.block_on(heard_by()).as_deref(), Some("a"));
    a.kill();
    // The node that heard the worker is dead, and the other has not heard it yet.
    arena.runtime.block_on(client.cancel_run(&cancelled, &Reason::default())).unwrap();
    let ended = arena.wait("its end", async || client.run(&cancelled).await.ok().filter(|run| run.state.is_final()));
    assert_eq!((ended.state, ended.attempt), (RunState::Cancelled, 1), "{ended:?}");
    arena.wait("the worker at the other node", async || (heard_by().await.as_deref() == Some("b")).then_some(()));
    arena.program.file("go", "");
    let ended = arena.wait("its end", async || client.run(&kept).await.ok().filter(|run| run.state.is_final()));
    assert_eq!((ended.state, ended.attempt), (RunState::Succeeded, 1), "it was not lost on the way: {ended:?}");
    let workers = arena.runtime.block_on(client.workers()).unwrap();
    assert_eq!(
        workers.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(),
        [worker.id.as_str()],
        "it never joined anew"
    );
    worker.stop();
}
