//! What an admin gets wrong: one test for each surprise of the recordings that concerns what is read, sent and concluded here.

use mainspring_xxl::{
    Address, Call, Code, Credentials, Dialect, Dispatch, Event, Evidence, Instances, LogQuestion, LogReader, Method,
    Outcome, Reply, RunAnswer, Sign, Stop, Verdict, answer, refusal,
};
use serde_json::{Value, json};

use crate::client::{client, order, target};
use crate::recorder::{Act, Recorder};
use crate::replay::Exchange;
use crate::vectors::{is_success, recordings, stories_of};

fn called_back(body: &str) -> Vec<(i64, Code, Option<String>)> {
    match Call::parse(Method::Callback, body.as_bytes()).unwrap() {
        Call::Callback { items, .. } => items.into_iter().map(|item| (item.log_id, item.code, item.message)).collect(),
        other => panic!("{other:?}"),
    }
}

fn back(code: Code, after: Option<Stop>) -> Event {
    Event::CalledBack { code, after }
}

fn told(verdict: Verdict) -> Dispatch {
    Dispatch::Ended(Outcome { verdict, is_told: true })
}

/// The answers to questions with a note, by recording.
fn answers(note: &str, path: &str) -> Vec<(String, Reply)> {
    let mut found = Vec::new();
    for (name, exchanges) in recordings() {
        let matches = |exchange: &&Exchange| exchange.note == note && exchange.path.ends_with(path);
        for exchange in exchanges.iter().filter(matches) {
            let body = exchange.response_body.as_deref().unwrap_or_default();
            let Some(status) = exchange.status else { continue };
            found.push((name.clone(), Reply::parse(status, body.as_bytes())));
        }
    }
    assert!(!found.is_empty(), "{note}");
    found
}

#[test]
fn answers_hold_no_object_and_their_code_is_an_integer() {
    for text in [answer(), refusal("no \"such\"\napp")] {
        let json: Value = serde_json::from_str(&text).unwrap();
        assert!(json["code"].is_i64(), "{text}");
        assert!(["msg", "content", "data"].iter().all(|key| json[key].is_null() || json[key].is_string()), "{text}");
        assert_eq!(json.as_object().unwrap().len(), 4, "{text}");
    }
}

#[test]
fn http_201_and_204_are_failures() {
    for status in [201, 204, 302, 401, 500] {
        assert!(!Reply::parse(status, br#"{"code":200}"#).is_success(), "{status}");
    }
}

#[test]
fn a_post_that_comes_twice_and_a_second_worse_result_change_nothing() {
    let once = Dispatch::Sent.on(Event::Accepted).on(back(Code::Success, None));
    assert_eq!(once.on(back(Code::Success, None)), once);
    assert_eq!(once.on(back(Code::Failure(500), None)), once, "pyxxl and Node report 500 after a refused callback");
    // As recorded: runs that succeeded, and of which a failure was reported afterwards.
    for name in ["pyxxl-0.4.8", "node-0.1.7"] {
        let stories = stories_of(name);
        let worse = stories.values().filter(|story| {
            let mut backs = story.iter().filter(|event| matches!(event, Event::CalledBack { .. }));
            backs.next().is_some_and(is_success) && backs.any(|event| !is_success(event))
        });
        let worse: Vec<&Vec<Event>> = worse.collect();
        assert!(!worse.is_empty(), "{name}");
        for story in worse {
            let end = story.iter().fold(Dispatch::Sent, |state, event| state.on(*event));
            assert_eq!(end, told(Verdict::Succeeded), "{name}: {story:?}");
        }
    }
}

#[test]
fn a_callback_may_come_before_the_answer_to_its_run() {
    let ended = Dispatch::Sent.on(back(Code::Success, None));
    for late in [Event::Accepted, Event::Refused, Event::Unanswered, Event::Unreached, Event::GivenUp] {
        assert_eq!(ended.on(late), told(Verdict::Succeeded), "{late:?}");
    }
    let first_words = |name: &str| {
        stories_of(name)
            .into_values()
            .filter(|story| story.len() > 1 && matches!(story[0], Event::CalledBack { .. }))
            .count()
    };
    assert!(first_words("java-3.4.2") + first_words("pyxxl-0.4.8") > 0, "it was recorded");
}

#[test]
fn batches_of_callbacks_have_no_order() {
    let batch = r#"[{"logId":1060,"handleCode":500,"handleMsg":"queued"},{"logId":1059,"handleCode":500,"handleMsg":"running"}]"#;
    let ids: Vec<i64> = called_back(batch).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, [1_060, 1_059], "each by its own number");
}

#[test]
fn callbacks_come_after_the_executor_left_and_before_it_registered() {
    let (mut instances, credentials) = (Instances::default(), Credentials::default());
    let address = Address::parse("http://192.0.2.7:9999").unwrap();
    // Nothing of a callback asks for an instance: it is read, and it is heard.
    assert_eq!(called_back(r#"[{"logId":1,"handleCode":200}]"#).len(), 1);
    instances.heard("mail", &address, Sign::Callback(None), 0);
    assert_eq!(instances.of_app("mail").count(), 0, "who has not registered is not called for it");
    instances.beat("mail", &address, &credentials, 1);
    instances.leave("mail", &address);
    instances.heard("mail", &address, Sign::Callback(None), 2);
    assert!(!instances.of_app("mail").next().unwrap().1.is_alive(2), "a callback does not bring it back");
}

#[test]
fn the_same_number_sent_again_runs_again_so_it_is_never_sent_again() {
    for (name, reply) in answers("same logId again after it ended", "/run") {
        assert!(!name.starts_with("java") || reply.is_success(), "{name} runs it once more");
    }
    for state in [Dispatch::Sent, Dispatch::Accepted, Dispatch::Unknown, told(Verdict::Failed)] {
        assert!(!state.may_go_elsewhere(), "{state:?}");
    }
}

#[test]
fn messages_are_any_json_and_numbers_may_be_text() {
    let long = "x".repeat(50_003);
    let body = json!([
        {"logId": "12", "handleCode": 200, "handleMsg": {"a": [1]}}, {"logId": 13, "handleCode": 200, "handleMsg": ""},
        {"logId": 14, "handleCode": 200}, {"logId": 15, "handleCode": 200, "handleMsg": long}, {"logId": 16, "handleCode": 200, "handleMsg": 7}
    ]);
    let read = called_back(&body.to_string());
    let messages: Vec<Option<&str>> = read.iter().map(|(_, _, message)| message.as_deref()).collect();
    assert_eq!(messages, [Some(r#"{"a":[1]}"#), Some(""), None, Some(long.as_str()), Some("7")]);
    assert_eq!(read[0].0, 12);
}

#[test]
fn any_positive_code_is_allowed_and_only_200_is_a_success() {
    for (code, expected) in
        [(200, Code::Success), (201, Code::Failure(201)), (502, Code::TimedOut), (70_000, Code::Failure(70_000))]
    {
        assert_eq!(called_back(&format!(r#"[{{"logId":1,"handleCode":{code}}}]"#))[0].1, expected);
    }
    assert_eq!(Dispatch::Accepted.on(back(Code::Failure(201), None)), told(Verdict::Failed));
    assert_eq!(Dispatch::Accepted.on(back(Code::Missing, None)), told(Verdict::Failed), "not running for ever");
}

#[test]
fn results_have_three_shapes_that_tell_the_dialect() {
    let mut seen = Vec::new();
    for (name, exchanges) in recordings() {
        let first =
            exchanges.iter().find(|exchange| exchange.is_from_executor() && exchange.path.ends_with("/callback"));
        let Call::Callback { evidence, .. } = Call::parse(Method::Callback, first.unwrap().body().as_bytes()).unwrap()
        else {
            panic!("{name}")
        };
        seen.push((name, evidence.unwrap()));
    }
    for (name, evidence) in seen {
        let expected = match name.as_str() {
            "java-2.2.0" => Evidence::AtMost(Dialect::V2_2),
            "java-3.5.0-SNAPSHOT" => Evidence::Is(Dialect::V3_5),
            _ => Evidence::AtLeast(Dialect::V2_3),
        };
        assert_eq!(evidence, expected, "{name}");
    }
}

#[test]
fn refusals_may_be_arrays_text_or_html() {
    for (name, reply) in answers("handler unknown", "/run") {
        let is_envelope = !name.starts_with("go");
        assert_eq!(reply.code.is_some(), is_envelope, "{name}: {reply:?}");
        assert!(reply.message.is_some() || name.starts_with("rust"), "{name}: {reply:?}");
    }
    for (name, reply) in answers("path unknown", "/nothing") {
        assert!(!reply.is_success(), "{name}: {reply:?}");
    }
}

#[test]
fn a_kill_of_nothing_is_a_success_wherever_the_text_is() {
    for (name, reply) in answers("again", "/kill") {
        let is_success = !matches!(name.as_str(), "go-1.2.0" | "flask-0.4.0");
        assert_eq!(reply.is_success(), is_success, "{name}: {reply:?}");
    }
}

#[test]
fn success_after_our_kill_or_timeout_is_none() {
    let running = Dispatch::Sent.on(Event::Accepted);
    assert_eq!(running.on(back(Code::Success, Some(Stop::Kill))), told(Verdict::Cancelled));
    assert_eq!(running.on(back(Code::Failure(500), Some(Stop::Kill))), told(Verdict::Cancelled));
    assert_eq!(running.on(back(Code::Success, Some(Stop::Timeout))), told(Verdict::TimedOut));
}

#[test]
fn an_order_has_every_field_typed_as_documented() {
    let mut questions = 0;
    for (name, exchanges) in recordings() {
        for exchange in exchanges.iter().filter(|exchange| exchange.scenario == "run" && exchange.note == "plain") {
            let theirs: Value = serde_json::from_str(exchange.body()).unwrap();
            let ours = serde_json::to_value(order()).unwrap();
            let keys = |json: &Value| -> Vec<String> { json.as_object().unwrap().keys().cloned().collect() };
            assert_eq!(keys(&ours), keys(&theirs), "{name}");
            for (key, value) in ours.as_object().unwrap() {
                assert_eq!(value.is_i64(), theirs[key].is_i64(), "{name}: {key}");
            }
            questions += 1;
        }
    }
    assert_eq!(questions, 16);
}

#[test]
fn a_run_that_compiles_for_too_long_is_not_sent_again_and_succeeds() {
    let unknown = Dispatch::Sent.on(Event::Unanswered);
    assert!(unknown.is_open() && !unknown.may_go_elsewhere());
    assert_eq!(unknown.on(back(Code::Success, None)), told(Verdict::Succeeded));
}

#[test]
fn an_accepted_run_may_still_be_discarded() {
    let discarded = Dispatch::Sent.on(Event::Accepted).on(back(Code::Failure(500), None));
    assert_eq!(discarded, told(Verdict::Failed));
    let silent = Dispatch::Sent.on(Event::Accepted);
    let lost = silent.on(Event::GivenUp);
    assert_eq!(lost, Dispatch::Ended(Outcome { verdict: Verdict::Lost, is_told: false }));
    assert_eq!(lost.on(back(Code::Success, None)), told(Verdict::Succeeded), "a late success corrects us");
}

#[test]
fn no_number_of_a_log_beyond_its_end_is_believed() {
    for note in ["from the last line + 1", "far beyond the end"] {
        for (name, reply) in answers(note, "/log") {
            let asked = recordings()[&name].iter().find(|exchange| exchange.note == note).unwrap().body().to_owned();
            let from = serde_json::from_str::<Value>(&asked).unwrap()["fromLineNum"].as_i64().unwrap();
            let mut reader = LogReader::new(1, 1);
            while reader.question().unwrap().from_line_num < from {
                let line =
                    json!({"code": 200, "data": {"toLineNum": from, "logContent": "x\n".repeat(from as usize - 1)}});
                reader.take(&Reply::parse(200, line.to_string().as_bytes()), true);
            }
            let piece = reader.take(&reply, true);
            // flask has no log of its own: its host answers one line to everything.
            assert!(piece.lines.is_empty() || name.starts_with("flask"), "{name}, {note}: {piece:?}");
        }
    }
}

#[test]
fn a_log_that_is_there_proves_no_start_and_is_read_after_the_end() {
    let never_started = answers("log of the run killed in the queue", "/log");
    assert!(never_started.len() > 5, "{never_started:?}");
    for (name, reply) in never_started.into_iter().filter(|(name, _)| name.starts_with("java")) {
        let lines = LogReader::new(1060, 1).take(&reply, true).lines;
        let has = |text: &str| lines.iter().any(|line| line.contains(text));
        assert!(!has("execute start"), "{name}: {lines:?}");
        // What follows is of the callback and the kill, whatever the log holds. Its last line is written after the callback was answered.
        let story = &stories_of(&name)[&1060];
        assert!(story.iter().any(|event| matches!(event, Event::CalledBack { .. })), "{name}: {story:?}");
        assert!(!story.iter().any(is_success), "{name}: {story:?}");
        assert!(has("callback finish") || lines.is_empty(), "{name}: {lines:?}");
    }
}

/// The text of every file with Rust below a folder.
fn sources(folder: &std::path::Path, texts: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_surprise_known_failure_and_fault_has_its_tests_in_the_reference() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/reference/xxl-job.md")).unwrap();
    let mut tests = String::new();
    sources(&root.join("crates"), &mut tests);
    let has_tests = |row: &str| {
        let names: Vec<&str> = row.rsplit('|').nth(1).unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(tests.contains(&format!("fn {name}(")), "{row}: there is no test {name}");
        }
    };
    for number in 1..=29 {
        let start = format!("| {number} | ");
        has_tests(page.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("surprise {number}")));
    }
    for (heading, least) in [("## Known failures", 24), ("## Faults that are played", 11)] {
        let (_, rest) = page.split_once(heading).unwrap();
        let rows = rest.lines().skip_while(|line| *line != "|---|---|---|").skip(1);
        let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
        assert!(rows.len() >= least, "{heading}: {rows:?}");
        rows.iter().for_each(|row| has_tests(row));
    }
}

#[test]
fn script_output_is_glued_to_the_next_banner_and_read_as_it_is() {
    let body = json!({"code": 200, "content": {"toLineNum": 1, "logContent": "abc2026-11-25 execute end\n"}});
    let piece = LogReader::new(1, 1).take(&Reply::parse(200, body.to_string().as_bytes()), true);
    assert_eq!(piece.lines, ["abc2026-11-25 execute end"]);
}

#[test]
fn the_date_of_a_log_goes_under_both_names() {
    let question = serde_json::to_value(LogQuestion::new(7, 1_795_611_057_285, 3)).unwrap();
    assert_eq!(
        question,
        json!({"logDateTim": 1_795_611_057_285_i64, "logDateTime": 1_795_611_057_285_i64, "logId": 7, "fromLineNum": 3})
    );
}

#[test]
fn an_executor_without_a_log_answers_the_same_text_for_ever() {
    let answers = answers("from line 1", "/log");
    let (_, reply) = answers.iter().find(|(name, _)| name.starts_with("go")).unwrap();
    let mut reader = LogReader::new(1, 1);
    let mut count = 0;
    while reader.question().is_some() && count < 100 {
        reader.take(reply, true);
        count += 1;
    }
    assert!(count < 5, "{count} questions");
}

#[test]
fn escaped_characters_are_compared_as_values() {
    let escaped = "[{\"logId\":1,\"handleCode\":200,\"handleMsg\":\"param\\u003d[a\\u0026b] \\u2028\"}]";
    assert_eq!(called_back(escaped)[0].2.as_deref(), Some("param=[a&b] \u{2028}"));
}

#[tokio::test]
async fn a_refusal_by_an_array_is_no_success() {
    let recorder = Recorder::start().unwrap();
    let address = Address::parse(&recorder.url()).unwrap();
    let array = r#"[{"logId":1001,"handleCode":500,"handleMsg":"Task not registered"}]"#;
    recorder.then(Act::Answer(200, Vec::new(), array.to_owned()));
    let RunAnswer::Refused(reply) = client().run(&target(&address), &order()).await else { panic!() };
    assert_eq!(reply.message.as_deref(), Some("Task not registered"));
}
