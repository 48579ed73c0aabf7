//! The recordings beside this file, whole: every exchange, and the story of every run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mainspring_xxl::{Call, Client, ClientLimits, Code, Dispatch, Event, LogReader, Method, Reply};
use serde_json::Value;

use crate::recorder::Recorder;
use crate::replay::{Asked, Exchange};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// All recordings by name, each in its order.
pub fn recordings() -> &'static BTreeMap<String, Vec<Exchange>> {
    static READ: OnceLock<BTreeMap<String, Vec<Exchange>>> = OnceLock::new();
    READ.get_or_init(read)
}

fn read() -> BTreeMap<String, Vec<Exchange>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|ending| ending == "jsonl") && !matches!(&*name, "route" | "schema") {
            let text = std::fs::read_to_string(&path).unwrap();
            let read = |line: &str| Exchange::of(&serde_json::from_str::<Value>(line).unwrap()).unwrap();
            found.insert(name, text.lines().map(read).collect());
        }
    }
    assert_eq!(found.len(), 16, "every recording is there");
    found
}

#[tokio::test]
async fn every_exchange_of_every_recording_is_understood() {
    let client = Client::new(ClientLimits { answer_ms: 60_000, ..ClientLimits::default() }).unwrap();
    let recorder = Recorder::start().unwrap();
    for (name, exchanges) in recordings() {
        let (mut asked, mut calls) = (0, 0);
        for (number, exchange) in exchanges.iter().enumerate() {
            let replayed = if exchange.is_from_executor() {
                calls += 1;
                exchange.replay_call()
            } else {
                asked += usize::from(exchange.question().is_some() && exchange.status.is_some());
                exchange.replay_answer().and(exchange.replay_question(&client, &recorder).await)
            };
            assert_eq!(replayed, Ok(()), "{name}:{} {} ({})", number + 1, exchange.scenario, exchange.note);
        }
        assert!(asked > 85 && calls > 50, "{name}: {asked} questions were asked as they should be, {calls} calls");
    }
}

/// Every word of an executor about a run, in the order of a recording.
fn stories(exchanges: &[Exchange]) -> BTreeMap<i64, Vec<Event>> {
    let mut stories: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
    for exchange in exchanges {
        if exchange.is_from_executor() {
            let method = Method::of_path(&exchange.path).filter(|_| exchange.method == "POST");
            let call = method.map(|method| Call::parse(method, exchange.body().as_bytes()).unwrap());
            if let Some(Call::Callback { items, .. }) = call {
                for item in items {
                    stories.entry(item.log_id).or_default().push(Event::CalledBack { code: item.code, after: None });
                }
            }
        } else if let Some(Asked::Run(order)) = exchange.question().map(|question| question.asked) {
            let body = exchange.response_body.as_deref().unwrap_or_default();
            let event = match exchange.status.map(|status| Reply::parse(status, body.as_bytes())) {
                Some(reply) if reply.is_success() => Event::Accepted,
                Some(_) => Event::Refused,
                None if exchange.note.contains("Refused") => Event::Unreached,
                None => Event::Unanswered,
            };
            stories.entry(order.log_id).or_default().push(event);
        }
    }
    stories
}

/// The runs of a story, each sent once: tests of the recorder have sent some numbers twice, which we never do.
fn sent_once(story: &[Event]) -> bool {
    story.iter().filter(|event| !matches!(event, Event::CalledBack { .. })).count() == 1
}

#[test]
fn the_first_word_about_a_run_is_final_in_whatever_order_they_come() {
    let mut ended = 0;
    for (name, exchanges) in recordings() {
        for (log_id, story) in stories(exchanges).into_iter().filter(|(_, story)| sent_once(story)) {
            let Some(Event::CalledBack { code, .. }) =
                story.iter().find(|event| matches!(event, Event::CalledBack { .. }))
            else {
                continue;
            };
            ended += 1;
            let first = Dispatch::Sent.on(Event::CalledBack { code: *code, after: None });
            let told = story.iter().fold(Dispatch::Sent, |state, event| state.on(*event));
            assert_eq!(told, first, "{name}: run {log_id} as recorded");
            // The answer to the sending may come at any place among the callbacks.
            let (sends, backs): (Vec<Event>, Vec<Event>) =
                story.iter().partition(|event| !matches!(event, Event::CalledBack { .. }));
            for place in 0..=backs.len() {
                let mut order = backs.clone();
                order.splice(place..place, sends.iter().copied());
                let told = order.iter().fold(Dispatch::Sent, |state, event| state.on(*event));
                assert_eq!(told, first, "{name}: run {log_id}, answered after {place} callbacks");
            }
        }
    }
    assert!(ended > 900, "{ended} runs have ended");
}

#[test]
fn a_log_is_read_to_its_end_and_no_line_twice() {
    let mut read = 0;
    let with_log = |name: &str| name.starts_with("java") || name.starts_with("pyxxl");
    for (name, exchanges) in recordings().iter().filter(|(name, _)| with_log(name)) {
        let five: Vec<&Exchange> = exchanges.iter().filter(|exchange| exchange.scenario == "log").collect();
        let reply = |note: &str| {
            let found = five.iter().find(|exchange| exchange.path.ends_with("/log") && exchange.note == note).unwrap();
            Reply::parse(found.status.unwrap(), found.response_body.as_deref().unwrap().as_bytes())
        };
        let mut reader = LogReader::new(1, 1);
        let piece = reader.take(&reply("from line 1"), true);
        assert!(piece.lines.len() > 5 && piece.unsure.is_none(), "{name}: {piece:?}");
        let next = reader.question().unwrap().from_line_num;
        assert_eq!(next, 1 + piece.lines.len() as i64);
        let after = reader.take(&reply("from the last line + 1"), true);
        assert_eq!((after.lines.len(), reader.question()), (0, None), "{name}: the answer past the end ends it");
        let mut early = LogReader::new(1, 1);
        let part = early.take(&reply("while it runs"), false);
        assert!(
            part.unsure.is_some() && early.question().unwrap().from_line_num == 1 + part.lines.len() as i64,
            "{name}"
        );
        assert_eq!(early.take(&reply("while it runs, beyond the end"), false).lines.len(), 0, "{name}");
        read += 1;
    }
    assert_eq!(read, 12);
}

/// Whether a code says success.
pub fn is_success(event: &Event) -> bool {
    matches!(event, Event::CalledBack { code: Code::Success, .. })
}

/// The words about each run of one recording.
pub fn stories_of(name: &str) -> BTreeMap<i64, Vec<Event>> {
    stories(&recordings()[name])
}
