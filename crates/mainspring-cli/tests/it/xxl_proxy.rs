//! `mainspring xxl proxy` between an old admin, which is a port that answers as it is told, and a real server.

use std::io::{Read, Write};
use std::net::TcpStream;

use mainspring_api::client::Client;
use mainspring_api::{ApplyOptions, Bundle, Reason, RunFilter};
use mainspring_rig::{Node, Worker};
use mainspring_xxl::words::BlockStrategy;
use mainspring_xxl::{Address, ClientLimits, Dialect, LogQuestion, Order, RunAnswer, Target};
use serde_json::{Value, json};

use crate::program::Program;
use crate::recorder::{Act, Heard, Recorder};
use crate::wait;

const JOBS: &str = r#"{"jobs": [
    {"name": "well", "labels": {"xxl-id": "7"}, "run": "echo well", "paused": true},
    {"name": "long", "labels": {"xxl-id": "8"}, "run": "echo begun; exec sleep 600"},
    {"name": "ill", "labels": {"xxl-id": "9"}, "run": "exit 3"},
    {"name": "foreign", "labels": {"xxl-id": "10"}, "xxl": {"app": "other", "handler": "h"}},
    {"name": "child", "run": "echo child", "paused": true, "schedule": {"after": "well"}}
]}"#;

/// The old admin, and what it knows of the proxy.
struct Old {
    admin: Recorder,
    client: mainspring_xxl::Client,
    address: Address,
}

/// Starts a proxy between a server and an old admin. The tokens of both are in files.
pub fn start(program: &Program, (server, token): (&str, &str), admin: &Recorder) -> (Worker, Address) {
    let old = format!("{}/xxl-job-admin", admin.url());
    let arguments = ["--old-admin", &old, "--app", "mail", "--old-token-file", "old", "--listen", "127.0.0.1:0"];
    let to = ["--server", server, "--token-file", token];
    let proxy = Worker::start(&mut program.command(&[&["xxl", "proxy"], &arguments[..], &to].concat())).unwrap();
    let beat = admin.until(|heard| heard.path == "/xxl-job-admin/api/registry");
    let body: Value = serde_json::from_str(&beat.body).unwrap();
    assert_eq!((beat.header("xxl-job-access-token"), &body["registryKey"]), (Some("secret"), &json!("mail")));
    (proxy, Address::parse(body["registryValue"].as_str().unwrap()).unwrap())
}

impl Old {
    /// Answers what a request with this path and body is answered, whatever it says.
    fn ask(&self, path: &str, body: &str) -> Value {
        let host = self.address.as_str().trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nXXL-JOB-ACCESS-TOKEN: secret\r\nConnection: close");
        write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn target(&self, token: &'static str) -> Target<'_> {
        Target { address: &self.address, dialect: Dialect::V2_3, app: "mail", token: Some(token) }
    }

    async fn send(&self, job: i32, log_id: i64) -> RunAnswer {
        self.client.run(&self.target("secret"), &Order::of_handler(job, "h", "p=1", log_id, 1_800_000_000_000)).await
    }

    /// The code with which the end of a run is reported.
    fn code(&self, log_id: i64) -> i64 {
        let item = |heard: &Heard| serde_json::from_str::<Value>(&heard.body).unwrap_or_default()[0].clone();
        let is_it = |heard: &Heard| heard.path.ends_with("/callback") && item(heard)["logId"] == log_id;
        item(&self.admin.until(is_it))["handleCode"].as_i64().unwrap()
    }
}

async fn runs(client: &Client, job: &str) -> Vec<mainspring_api::Run> {
    let filter = RunFilter { job: Some(job.to_owned()), ..RunFilter::default() };
    client.runs("default", &filter).await.unwrap().items
}

#[test]
fn runs_of_an_old_admin_are_passed_on_and_their_ends_reported() {
    let program = Program::new();
    program.file("old", "secret\n");
    let server =
        Node::start(program.command(&["server", "--data", "data", "--listen", "127.0.0.1:0", "--log", "warn"]));
    let server = server.unwrap();
    let admin = Recorder::start().unwrap();
    let token = program.home().join("data/token");
    let to = (server.url.as_str(), token.to_str().unwrap());
    let (proxy, address) = start(&program, to, &admin);
    let mut old = Old { admin, client: mainspring_xxl::Client::new(ClientLimits::default()).unwrap(), address };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = server.client().unwrap();
    runtime.block_on(async {
        let bundle: Bundle = serde_json::from_str(JOBS).unwrap();
        client.apply(&bundle, ApplyOptions::default()).await.unwrap();
        refuses(&old).await;
        // An end that the old admin does not take is reported again. A beat may have taken one of the refusals.
        for _ in 0..3 {
            old.admin.then(Act::Answer(200, Vec::new(), r#"{"code":500}"#.to_owned()));
        }
        assert!(matches!(old.send(7, 1).await, RunAnswer::Accepted(_)));
        assert_eq!((old.code(1), old.code(1)), (200, 200));
        let well = runs(&client, "well").await;
        assert_eq!((well.len(), &well[0].input), (1, &Some("p=1".into())), "its job is paused, and runs when asked");
        // As Java sends it: what is null is left out.
        let answer =
            old.ask("/run", r#"{"jobId":9,"logId":2,"logDateTim":5,"executorBlockStrategy":"SERIAL_EXECUTION"}"#);
        assert_eq!(answer["code"], 200, "{answer}");
        assert_eq!(old.code(2), 3);
        kills(&old, &client).await;
        assert!(matches!(old.send(8, 5).await, RunAnswer::Accepted(_)));
    });
    proxy.kill().unwrap();
    let (proxy, address) = start(&program, to, &old.admin);
    old.address = address;
    runtime.block_on(async {
        assert!(!old.client.idle_beat(&old.target("secret"), 8).await.unwrap().is_success(), "it knows its runs again");
        let long = runs(&client, "long").await;
        client.cancel_run(&long[0].id, &Reason::default()).await.unwrap();
    });
    assert_eq!(old.code(5), 500, "what was begun by a proxy that died is reported by the next one");
    assert_eq!(runtime.block_on(runs(&client, "long")).len(), 2, "and did not run twice");
    let children = runtime.block_on(runs(&client, "child"));
    assert!(children.is_empty(), "the old admin starts children, and a paused job nothing: {children:?}");
    server.stop().unwrap();
    let answer = runtime.block_on(old.send(7, 6));
    assert!(matches!(answer, RunAnswer::Refused(_)), "what the server cannot take has not begun: {answer:?}");
    assert_eq!(proxy.stop().unwrap().code(), Some(0));
    old.admin.until(|heard| heard.path == "/xxl-job-admin/api/registryRemove");
}

/// What is not passed on.
async fn refuses(old: &Old) {
    assert!(old.client.beat(&old.target("secret")).await.unwrap().is_success());
    assert!(!old.client.beat(&old.target("guess")).await.unwrap().is_success());
    let RunAnswer::Refused(unknown) = old.send(99, 90).await else { panic!("there is no such job") };
    assert!(unknown.message.as_ref().unwrap().contains("xxl-id=99"), "{unknown:?}");
    let shard = Order { broadcast_total: 2, ..Order::of_handler(7, "h", "", 91, 1) };
    assert!(matches!(old.client.run(&old.target("secret"), &shard).await, RunAnswer::Refused(_)));
    let RunAnswer::Refused(foreign) = old.send(10, 92).await else { panic!("it is for another app") };
    assert!(foreign.message.as_ref().unwrap().contains("another app than mail"), "{foreign:?}");
    for (path, body, why) in [
        ("/run", "no JSON", "no JSON object"),
        ("/run", r#"{"jobId":7}"#, "logId is missing"),
        ("/fire", "{}", "uri-mapping(/fire) not found"),
    ] {
        let answer = old.ask(path, body);
        assert_eq!(answer["code"], 500, "{answer}");
        assert!(answer["msg"].as_str().unwrap().contains(why), "{answer}");
    }
}

/// A run that is sent twice, looked at and killed.
async fn kills(old: &Old, client: &Client) {
    let to = old.target("secret");
    assert!(old.client.idle_beat(&to, 8).await.unwrap().is_success());
    for _ in 0..2 {
        assert!(matches!(old.send(8, 3).await, RunAnswer::Accepted(_)));
    }
    assert!(!old.client.idle_beat(&to, 8).await.unwrap().is_success());
    let block = BlockStrategy::DiscardLater;
    let later = Order { executor_block_strategy: block, ..Order::of_handler(8, "h", "", 4, 1) };
    assert!(matches!(old.client.run(&to, &later).await, RunAnswer::Refused(_)));
    wait::until("the log", async || {
        let reply = old.client.log(&to, &LogQuestion::new(3, 1, 1)).await.ok()?;
        (reply.payload.value()?["logContent"] == "begun\n").then_some(())
    })
    .await;
    assert_eq!(runs(client, "long").await.len(), 1);
    assert!(old.client.kill(&to, 8).await.unwrap().is_success());
    assert_eq!(old.code(3), 500);
    let over = old.client.log(&to, &LogQuestion::new(3, 1, 1)).await.unwrap();
    assert_eq!(over.payload.value().unwrap()["isEnd"], true, "its log is there after its end");
}
