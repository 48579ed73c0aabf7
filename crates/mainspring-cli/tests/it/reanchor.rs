//! A clock that was ahead leaves records of the future; they are taken back, and no instant gets two records.

use serde_json::Value;

use crate::live::{Live, until};
use crate::program::Program;

const DAY_MS: i64 = 86_400_000;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn last_run(program: &Program, wanted: impl Fn(&str) -> bool) -> String {
    let fired = |text: &str| json(text)["items"][0]["fire_at"].as_str().unwrap_or_default().to_owned();
    let arguments = ["run", "list", "--job", "tick", "--limit", "1", "-o", "json"];
    fired(&until(program, &arguments, |ended| wanted(&fired(&ended.stdout))).stdout)
}

#[test]
fn a_trigger_that_fired_for_the_future_fires_again_when_that_is_taken_back() {
    let program = Program::new();
    let offset = program.file("offset", "0");
    let server = ["server", "--data", "data", "--for-tests", "--clock-offset-file", &offset];
    let job = program
        .file("job.yaml", "name: tick\nnoop: true\nschedule: {name: each, cron: '* * * * * ?', misfire: do_nothing}\n");
    let live = Live::start_with(&program, &server);
    assert_eq!(program.run(&["apply", "-f", &job]).code, 0);
    let before = last_run(&program, |at| !at.is_empty());
    live.stop();

    // Started anew, a server believes its clock.
    program.file("offset", (30 * DAY_MS).to_string());
    let live = Live::start_with(&program, &server);
    let ahead = last_run(&program, |at| at.get(..10) > before.get(..10));
    assert!(!said_aloud(&program).contains("clock.future"), "its clock is believed");

    // The clock is set right: the server that runs notices, and so does one that is started.
    program.file("offset", "0");
    until_said(&program, &live, true);
    live.stop();
    let live = Live::start_with(&program, &server);
    until_said(&program, &live, true);
    let trigger = json(&program.run(&["trigger", "get", "tick/each", "-o", "json"]).stdout);
    assert!(trigger["next_fire_at"].as_str().unwrap() > ahead.as_str(), "it is silent for a month: {trigger}");
    let why = program.run(&["trigger", "why", "tick/each"]);
    assert!(why.stdout.contains("trigger reanchor tick/each"), "{why:?}");

    let back = program.run(&["trigger", "reanchor", "--all"]);
    assert_eq!((back.code, back.stdout.as_str()), (0, "reanchored default/tick/each\n1 trigger\n"), "{back:?}");
    let trigger = json(&program.run(&["trigger", "get", "tick/each", "-o", "json"]).stdout);
    let now = trigger["next_fire_at"].as_str().unwrap().to_owned();
    assert!(now < ahead, "{trigger}");
    let fires = |text: &str| json(text)["previous_fire_at"].as_str().is_some_and(|at| *at >= *now && *at < *ahead);
    until(&program, &["trigger", "get", "tick/each", "-o", "json"], |ended| fires(&ended.stdout));
    let gaps = json(&program.run(&["trigger", "gaps", "tick/each", "--all", "-o", "json"]).stdout);
    let gaps = gaps["items"].as_array().unwrap().clone();
    assert!(gaps.iter().all(|gap| gap["last"].as_str().unwrap() < now.as_str()), "{gaps:?}");
    let again = program.run(&["trigger", "reanchor", "--all"]);
    assert_eq!(again.stdout, "0 triggers\n", "{again:?}");
    until_said(&program, &live, false);
    live.stop();
}

fn said_aloud(program: &Program) -> String {
    program.run(&["doctor"]).stdout
}

/// Waits until doctor, readiness and figures say that a trigger has records of the future, or that none has.
fn until_said(program: &Program, live: &Live, is_ahead: bool) {
    const WORDS: &str = "1 trigger has fired for instants to come";
    let names = |text: &str| text.contains("clock.future") && text.contains("default/tick/each");
    until(program, &["doctor"], |ended| names(&ended.stdout) == is_ahead);
    let client = live.client();
    let figure = format!("mainspring_triggers_ahead {}", i32::from(is_ahead));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        crate::wait::until("readiness says it", async || {
            let health = client.readyz().await.ok()?;
            let said = health.checks.iter().filter_map(|check| check.message.as_deref()).any(|it| it.contains(WORDS));
            (said == is_ahead && health.status == mainspring_api::HealthStatus::Ok).then_some(())
        })
        .await;
        assert!(client.metrics().await.unwrap().contains(&figure), "{figure}");
    });
}
