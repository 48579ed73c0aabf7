//! The client against ports that misbehave.

use mainspring_xxl::{
    Address, CallFailed, Client, ClientLimits, Dialect, Evidence, LogReader, Order, Reply, RunAnswer, Target,
};

use crate::recorder::{Act, Recorder};

pub fn client() -> Client {
    Client::new(ClientLimits { answer_ms: 60_000, answer_max: 10_000, ..ClientLimits::default() }).unwrap()
}

pub fn target(address: &Address) -> Target<'_> {
    Target { address, dialect: Dialect::V2_3, app: "mail", token: Some("secret") }
}

pub fn order() -> Order {
    Order::of_handler(7, "ok", "", 1_001, 1_795_611_057_285)
}

fn ok() -> Act {
    Act::Answer(200, Vec::new(), r#"{"code":200,"msg":null}"#.to_owned())
}

fn refused(message: &str) -> Act {
    Act::Answer(200, Vec::new(), format!(r#"{{"code":500,"msg":"{message}"}}"#))
}

#[tokio::test]
async fn a_run_that_is_not_answered_is_unknown_and_sent_once() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&recorder.url()).unwrap();
    let patient = client();
    // The connection has been used before: many clients repeat a request then.
    recorder.then(ok()).then(Act::Close);
    patient.beat(&target(&address)).await.unwrap();
    recorder.take();
    let answer = patient.run(&target(&address), &order()).await;
    assert!(matches!(answer, RunAnswer::Unknown(_)), "{answer:?}");
    assert_eq!(recorder.take().len(), 1);
    recorder.then(Act::Hold);
    let quick = Client::new(ClientLimits { answer_ms: 200, ..ClientLimits::default() }).unwrap();
    let answer = quick.run(&target(&address), &order()).await;
    assert!(matches!(answer, RunAnswer::Unknown(_)), "{answer:?}");
    assert!(recorder.take().len() <= 1, "on a busy machine the time is over before it was sent");
}

#[tokio::test]
async fn a_refused_connection_has_sent_nothing() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = Address::parse(&format!("http://{free}")).unwrap();
    let answer = client().run(&target(&address), &order()).await;
    assert!(matches!(&answer, RunAnswer::Unreached(reason) if reason.contains("refused")), "{answer:?}");
    let failed = client().beat(&target(&address)).await.unwrap_err();
    assert!(matches!(&failed, CallFailed::Unreached { .. }), "{failed}");
    assert!(failed.to_string().starts_with(&format!("http://{free} cannot be reached: ")), "{failed}");
}

#[tokio::test]
async fn neither_token_nor_run_follows_a_redirect() {
    let (recorder, elsewhere) = (Recorder::start().unwrap(), Recorder::start().unwrap());
    let address = Address::parse(&recorder.url()).unwrap();
    for status in [301, 302, 307, 308] {
        let to = vec![("location".to_owned(), elsewhere.url() + "/run")];
        recorder.then(Act::Answer(status, to, String::new()));
        let answer = client().run(&target(&address), &order()).await;
        assert!(matches!(answer, RunAnswer::Refused(Reply { code: None, .. })), "{status}: {answer:?}");
    }
    assert_eq!(elsewhere.take(), []);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&recorder.url()).unwrap();
    recorder.then(Act::Answer(200, Vec::new(), "x".repeat(20_000)));
    let failed = client().beat(&target(&address)).await.unwrap_err();
    assert!(failed.to_string().ends_with("its answer has more than 10000 bytes"), "{failed}");
}

#[tokio::test]
async fn a_log_that_is_longer_than_any_answer_is_read_piece_by_piece() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&recorder.url()).unwrap();
    let limits = ClientLimits { answer_ms: 60_000, log_max: 10_000, ..ClientLimits::default() };
    let client = Client::new(limits).unwrap();
    let (mut reader, mut read) = (LogReader::new(7, 5), Vec::new());
    let lines: Vec<String> = (0..1_000).map(|number| format!("line {number} {}", "é".repeat(20))).collect();
    // As Java's executors answer: all from the line asked for on, whatever its length.
    while let Some(question) = reader.question() {
        let from = usize::try_from(question.from_line_num).unwrap() - 1;
        let text: String = lines[from..].iter().map(|line| format!("{line}\\n")).collect();
        let last = if text.is_empty() { 0 } else { 1_000 };
        let data = format!(r#"{{"fromLineNum":{from},"toLineNum":{last},"logContent":"{text}","isEnd":true}}"#);
        let body = format!(r#"{{"code":200,"data":{data}}}"#);
        let is_long = body.len() > limits.log_max;
        recorder.then(Act::Answer(200, Vec::new(), body));
        let reply = client.log(&target(&address), &question).await.unwrap();
        assert_eq!(reply.is_cut, is_long);
        read.extend(reader.take(&reply, true).lines);
    }
    assert_eq!(read, lines);
    recorder.then(Act::Answer(200, Vec::new(), "x".repeat(20_000)));
    let failed = client.log(&target(&address), &LogReader::new(7, 5).question().unwrap()).await.unwrap_err();
    assert!(failed.to_string().ends_with("its answer has more than 10000 bytes"), "{failed}");
}

#[tokio::test]
async fn a_probe_tells_the_latest_dialect_from_the_others_by_codes() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&recorder.url()).unwrap();
    let cases = [
        (vec![ok(), ok()], Some(Evidence::AtMost(Dialect::V3_3))),
        (vec![ok(), refused("appname is empty")], Some(Evidence::Is(Dialect::V3_5))),
        (vec![refused("The access token is wrong.")], None),
        (vec![Act::Answer(404, Vec::new(), "not here".to_owned())], None),
    ];
    for (acts, evidence) in cases {
        let questions = acts.len();
        acts.iter().for_each(|act| {
            recorder.then(act.clone());
        });
        let probe = client().probe(&target(&address)).await.unwrap();
        assert_eq!(probe.evidence, evidence, "{acts:?}");
        let heard = recorder.take();
        assert_eq!(heard.len(), questions);
        assert!(heard.iter().all(|heard| heard.path == "/beat"), "nothing runs");
        assert_eq!(heard.last().unwrap().header("xxl-job-appname").is_some(), questions == 1);
    }
}

#[tokio::test]
async fn each_dialect_is_called_in_its_own_way() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&(recorder.url() + "/job/")).unwrap();
    for (dialect, path) in [
        (Dialect::V2_2, "/job/run"),
        (Dialect::V2_3, "/job/run"),
        (Dialect::V3_3, "/job/run"),
        (Dialect::V3_5, "/job/trigger"),
    ] {
        let to = Target { dialect, token: None, ..target(&address) };
        let answer = client().run(&to, &order()).await;
        assert!(matches!(answer, RunAnswer::Accepted(_)), "{answer:?}");
        let heard = recorder.take().pop().unwrap();
        assert_eq!((heard.path.as_str(), heard.header("xxl-job-access-token")), (path, None), "{dialect:?}");
        assert_eq!(heard.header("content-type"), Some("application/json;charset=UTF-8"));
    }
}
