//! A real executor that nobody here has written: pyxxl, installed into the target folder. Where there is no Python 3, or nothing to
//! install it from, these tests say so and do nothing else.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use mainspring_xxl::words::BlockStrategy;
use mainspring_xxl::{
    Address, Call, Callback, Client, ClientLimits, Code, Credentials, Dialect, Dispatch, Event, Evidence, Instances,
    LogReader, Method, Order, Outcome, Registration, RunAnswer, Sign, Stop, Target, Tokens, Verdict, answer,
};
use reqwest::header::{HeaderMap, HeaderName};

use crate::python::python;
use crate::recorder::{Heard, Recorder};

/// The executor, and what it says to us. It ends with the test.
struct Executor {
    process: Child,
    admin: Recorder,
    client: Client,
    address: Address,
    instances: Instances,
    next: i64,
}

impl Drop for Executor {
    fn drop(&mut self) {
        // It may be dead already.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A client that waits for as long as a busy machine needs.
fn client() -> Client {
    Client::new(ClientLimits { answer_ms: 60_000, ..ClientLimits::default() }).unwrap()
}

/// A run that was sent, and where it stands.
struct Run {
    order: Order,
    state: Dispatch,
}

impl Executor {
    /// Starts it and waits until it has registered.
    fn start(name: &str) -> Option<Self> {
        let python = python()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("executor-{name}"));
        // Logs of an earlier test run, under the same numbers, would be added to.
        std::fs::remove_dir_all(&folder).ok();
        std::fs::create_dir_all(&folder).unwrap();
        let admin = Recorder::start_answering(&answer()).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/executor.py");
        let process = Command::new(python)
            .arg(script)
            .args([&admin.url(), &port.to_string()])
            .arg(&folder)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let address = Address::parse(&format!("http://127.0.0.1:{port}")).unwrap();
        let mut executor = Self { process, admin, client: client(), address, instances: Instances::default(), next: 1 };
        let heard = executor.admin.until(|heard| heard.path.ends_with("/registry"));
        let Call::Registry(Registration { app, address, .. }) = executor.read(&heard) else { panic!("{heard:?}") };
        assert_eq!((app.as_str(), &address), ("mail", &executor.address));
        executor.instances.beat(&app, &address, &credentials(&heard), 0);
        Some(executor)
    }

    /// Reads a request of it as a server does: the path, the token, the body.
    fn read(&self, heard: &Heard) -> Call {
        assert!(Tokens::new(["secret".to_owned()]).accept(&credentials(heard)), "{heard:?}");
        Call::parse(Method::of_path(&heard.path).unwrap(), heard.body.as_bytes()).unwrap()
    }

    fn target(&self) -> Target<'_> {
        let (_, instance) = self.instances.of_app("mail").next().unwrap();
        Target { address: &self.address, dialect: instance.call_in(), app: "mail", token: Some("secret") }
    }

    /// Sends a run, and notes what came of the sending.
    async fn send(&mut self, job: i32, handler: &str, params: &str, change: impl FnOnce(&mut Order)) -> Run {
        let mut order = Order::of_handler(job, handler, params, self.next, 1_795_611_057_285);
        self.next += 1;
        change(&mut order);
        let answer = self.client.run(&self.target(), &order).await;
        let event = match &answer {
            RunAnswer::Accepted(_) => Event::Accepted,
            RunAnswer::Refused(_) => Event::Refused,
            RunAnswer::Unreached(_) => Event::Unreached,
            RunAnswer::Unknown(_) => Event::Unanswered,
        };
        Run { order, state: Dispatch::Sent.on(event) }
    }

    /// Waits until the end of a run is told.
    fn end(&mut self, run: &mut Run, after: Option<Stop>) -> Callback {
        let log_id = run.order.log_id;
        let is_it = |heard: &Heard| heard.path.ends_with("/callback") && heard.body.contains(&format!(": {log_id},"));
        let heard = self.admin.until(is_it);
        let Call::Callback { items, unreadable, evidence } = self.read(&heard) else { panic!("{heard:?}") };
        assert_eq!(unreadable, 0);
        self.instances.heard("mail", &self.address, Sign::Callback(evidence), 0);
        let item = items.into_iter().find(|item| item.log_id == log_id).unwrap();
        run.state = run.state.on(Event::CalledBack { code: item.code, after });
        item
    }

    /// Reads the whole log of a run that is over.
    async fn log(&self, run: &Run) -> Vec<String> {
        let mut reader = LogReader::new(run.order.log_id, run.order.log_date_time);
        let mut lines = Vec::new();
        while let Some(question) = reader.question() {
            let reply = self.client.log(&self.target(), &question).await.unwrap();
            lines.extend(reader.take(&reply, true).lines);
        }
        lines
    }
}

fn credentials(heard: &Heard) -> Credentials {
    let header = |(name, value): &(String, String)| Some((name.parse::<HeaderName>().ok()?, value.parse().ok()?));
    Credentials::of(&heard.headers.iter().filter_map(header).collect::<HeaderMap>())
}

const fn told(verdict: Verdict) -> Dispatch {
    Dispatch::Ended(Outcome { verdict, is_told: true })
}

#[tokio::test]
async fn a_real_executor_registers_runs_and_calls_back() {
    let Some(mut executor) = Executor::start("runs") else { return };
    let probe = executor.client.probe(&executor.target()).await.unwrap();
    assert_eq!(probe.evidence, Some(Evidence::AtMost(Dialect::V3_3)), "{probe:?}");

    let shard = |order: &mut Order| (order.broadcast_index, order.broadcast_total) = (2, 5);
    let mut run = executor.send(1, "shard", "a \"b\" 中", shard).await;
    let back = executor.end(&mut run, None);
    assert_eq!((back.code, back.message.as_deref()), (Code::Success, Some("a \"b\" 中: 2 of 5")));
    assert_eq!(run.state, told(Verdict::Succeeded));

    let mut run = executor.send(1, "boom", "", |_| ()).await;
    assert_eq!(executor.end(&mut run, None).code, Code::Failure(500));
    assert_eq!(run.state, told(Verdict::Failed));

    let run = executor.send(1, "nobody", "", |_| ()).await;
    assert!(run.state.may_go_elsewhere(), "an unknown handler is refused: {:?}", run.state);
}

#[tokio::test]
async fn a_real_executor_blocks_kills_and_keeps_to_its_time() {
    let Some(mut executor) = Executor::start("stops") else { return };
    let discard = |order: &mut Order| order.executor_block_strategy = BlockStrategy::DiscardLater;
    let mut first = executor.send(7, "sleep", "600", |_| ()).await;
    assert_eq!(first.state, Dispatch::Accepted);
    assert!(!executor.client.idle_beat(&executor.target(), 7).await.unwrap().is_success(), "it is busy");
    assert!(executor.client.idle_beat(&executor.target(), 8).await.unwrap().is_success(), "another job is idle");
    assert_eq!(executor.send(7, "sleep", "0", discard).await.state, Dispatch::Refused);
    // It answers once its callback was taken: whoever serves callbacks must not wait for the answer.
    assert!(executor.client.kill(&executor.target(), 7).await.unwrap().is_success());
    executor.end(&mut first, Some(Stop::Kill));
    assert_eq!(first.state, told(Verdict::Cancelled));

    let mut late = executor.send(9, "sleep", "600", |order| order.executor_timeout = 1).await;
    assert_eq!(executor.end(&mut late, None).code, Code::Failure(500), "pyxxl has no code of its own for it");

    executor.process.kill().unwrap();
    executor.process.wait().unwrap();
    // On a connection that was open before, nobody could say whether the request was read.
    executor.client = client();
    let gone = executor.send(1, "shard", "", |_| ()).await;
    assert_eq!(gone.state, Dispatch::Unreached, "nobody listens, so it may go elsewhere");
}

#[tokio::test]
async fn the_log_of_a_real_executor_is_read_whole_page_by_page() {
    let Some(mut executor) = Executor::start("log") else { return };
    let mut run = executor.send(1, "lines", "1500", |_| ()).await;
    executor.end(&mut run, None);
    let lines = executor.log(&run).await;
    for number in [0, 999, 1_000, 1_499] {
        let found = lines.iter().filter(|line| line.ends_with(&format!(" line {number}."))).count();
        assert_eq!(found, 1, "line {number} of {}", lines.len());
    }
}
