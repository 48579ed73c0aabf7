//! A real server, and pyxxl as an executor. Where there is no Python 3, or nothing to install it from, the test says so and does nothing.

#[path = "../../../mainspring-xxl/tests/it/python.rs"]
pub mod python;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mainspring_api::client::Client;
use mainspring_api::{ApplyOptions, Bundle, LogFilter, Reason, Run, RunNow, RunState};
use mainspring_rig::Node;
use mainspring_xxl::{Address, ClientLimits, Dialect, Target};
use serde_json::{Value, json};

use crate::program::Program;
use crate::wait;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

const JOBS: &str = r#"{"jobs": [
    {"name": "shard", "xxl": {"app": "mail", "handler": "shard", "params": "a \"b\" 中"}, "routing": "sharding_broadcast"},
    {"name": "one", "xxl": {"app": "mail", "handler": "shard", "params": "p"}},
    {"name": "lines", "xxl": {"app": "mail", "handler": "lines", "params": "1200"}},
    {"name": "sleep", "xxl": {"app": "mail", "handler": "sleep", "params": "600", "id": 7}, "retries": 2},
    {"name": "slow", "xxl": {"app": "mail", "handler": "sleep", "params": "600"}, "timeout": "1s"},
    {"name": "boom", "xxl": {"app": "mail", "handler": "boom"}},
    {"name": "nobody", "xxl": {"app": "mail", "handler": "nobody"}}
]}"#;

/// The executor. It ends with the test.
struct Executor {
    process: Child,
    address: Address,
}

impl Drop for Executor {
    fn drop(&mut self) {
        // It may be dead already.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Executor {
    fn start(python: &Path, admin: &str, folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let port = free_port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mainspring-xxl/tests/it/executor.py");
        let process = Command::new(python)
            .arg(script)
            .args([admin, &port.to_string()])
            .arg(folder)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, address: Address::parse(&format!("http://127.0.0.1:{port}")).unwrap() }
    }

    /// Whether the job of a number runs there.
    async fn is_busy(&self, job: i32) -> bool {
        let client = mainspring_xxl::Client::new(ClientLimits::default()).unwrap();
        let to = Target { address: &self.address, dialect: Dialect::V2_3, app: "mail", token: Some("secret") };
        client.idle_beat(&to, job).await.is_ok_and(|reply| !reply.is_success())
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn serve(program: &Program, port: u16) -> Node {
    let listen = format!("127.0.0.1:{port}");
    Node::start(program.command(&["server", "--data", "data", "--listen", &listen, "--log", "warn"])).unwrap()
}

fn asked(program: &Program, server: &Node, arguments: &[&str]) -> crate::program::Ended {
    let token = program.home().join("data/token");
    let to = ["--server", &*server.url, "--token-file", token.to_str().unwrap()];
    program.run(&[&["xxl"], arguments, &to].concat())
}

async fn start(client: &Client, job: &str) -> Run {
    client.run_job("default", job, &RunNow::default()).await.unwrap()
}

async fn end(client: &Client, run: &Run) -> Run {
    tokio::time::timeout(PATIENCE, client.wait_for_run(&run.id)).await.expect("it ends").unwrap()
}

#[test]
fn a_real_executor_connects_and_runs_jobs_through_kills_time_limits_and_the_death_of_the_server() {
    let Some(python) = python::python() else { return };
    let (program, port) = (Program::new(), free_port());
    let server = serve(&program, port);
    let made = asked(&program, &server, &["app", "create", "mail", "--app-token", "secret"]);
    assert_eq!((made.code, made.stdout.as_str()), (0, "secret\n"), "{made:?}");
    assert!(made.stderr.contains("can be guessed"), "{made:?}");
    let executor = Executor::start(python, &server.url, &program.home().join("executor"));
    wait::blocking("the executor", || {
        let ended = asked(&program, &server, &["instances", "mail", "-o", "json"]);
        let shown: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        if shown.to_string().contains("\"alive\":true") { Ok(()) } else { Err(ended) }
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let run = runtime.block_on(async {
        let client = server.client().unwrap();
        let bundle: Bundle = serde_json::from_str(JOBS).unwrap();
        client.apply(&bundle, ApplyOptions { dry_run: false, prune: false }).await.unwrap();
        works(&client).await;
        stops(&client, &executor).await;
        // Until the executor has it for certain.
        let run = client.run_job("default", "sleep", &RunNow { input: Some(json!("3")), ..RunNow::default() }).await;
        busy(&executor).await;
        run.unwrap()
    });
    server.kill().unwrap();
    let server = serve(&program, port);
    runtime.block_on(async {
        let client = server.client().unwrap();
        assert_eq!(end(&client, &run).await.state, RunState::Succeeded, "it went on while the server was dead");
        assert_eq!(client.attempts(&run.id).await.unwrap().len(), 1);
        let run = end(&client, &start(&client, "one").await).await;
        assert_eq!(client.run_output(&run.id).await.unwrap(), "\"p: 0 of 1\"".as_bytes());
    });
    assert_eq!(server.stop().unwrap().0.code(), Some(0));
}

async fn busy(executor: &Executor) {
    wait::until("the executor to be busy", async || executor.is_busy(7).await.then_some(())).await;
}

/// What runs by itself.
async fn works(client: &Client) {
    let one = end(client, &start(client, "one").await).await;
    assert_eq!(client.run_output(&one.id).await.unwrap(), "\"p: 0 of 1\"".as_bytes());
    assert_eq!(end(client, &start(client, "shard").await).await.state, RunState::Succeeded);
    assert_eq!(end(client, &start(client, "boom").await).await.state, RunState::Failed);
    let nobody = end(client, &start(client, "nobody").await).await;
    let attempts = client.attempts(&nobody.id).await.unwrap();
    assert!(attempts[0].reason.as_ref().unwrap().starts_with("xxl.refused"), "{attempts:?}");
    let lines = end(client, &start(client, "lines").await).await;
    let texts = wait::until("the whole log", async || {
        let filter = LogFilter { limit: Some(10_000), ..LogFilter::default() };
        let page = client.log(&lines.id, &filter).await.unwrap();
        let texts: Vec<String> = page.lines.into_iter().map(|line| line.text).collect();
        texts.iter().any(|text| text.ends_with(" line 1199.")).then_some(texts)
    })
    .await;
    for number in [0, 999, 1_000, 1_199] {
        let ending = format!(" line {number}.");
        assert_eq!(texts.iter().filter(|text| text.ends_with(&ending)).count(), 1, "{ending} of {}", texts.len());
    }
}

/// What is ended.
async fn stops(client: &Client, executor: &Executor) {
    let run = start(client, "sleep").await;
    busy(executor).await;
    client.cancel_run(&run.id, &Reason::default()).await.unwrap();
    assert_eq!(end(client, &run).await.state, RunState::Cancelled);
    assert_eq!(client.attempts(&run.id).await.unwrap().len(), 1, "what was killed is not tried again");
    let slow = end(client, &start(client, "slow").await).await;
    assert_eq!(slow.state, RunState::Failed);
}
