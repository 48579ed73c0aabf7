//! Runs that wait get another place or are dropped, and what is kept of it.

use mainspring_api::client::Precondition;
use mainspring_api::{
    ErrorCode, PageFilter, PriorityChange, QueueAction, QueueEnd, QueueSettings, QueueWaitingFilter, Reason, RunNow,
    RunPlace, RunState, WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

/// Asks for so many runs that wait in the queue `mail`, which is paused.
async fn waiting(running: &Running, count: usize) -> Vec<String> {
    let client = &running.client;
    let letter = spec(json!({"name": "letter", "noop": true, "queue": "mail"}));
    client.put_job("default", &letter, Precondition::None, WriteOptions::default()).await.unwrap();
    client.pause_queue("mail", &Reason::default()).await.unwrap();
    let mut runs = Vec::new();
    for _ in 0..count {
        runs.push(client.run_job("default", "letter", &RunNow::default()).await.unwrap().id);
    }
    runs
}

async fn head(running: &Running) -> Vec<String> {
    let waiting = running.client.queue_waiting("mail", &QueueWaitingFilter::default()).await.unwrap();
    waiting.head.into_iter().map(|run| run.id).collect()
}

#[tokio::test]
async fn run_that_waits_is_placed_and_dropped_and_it_is_known_who_did_it() {
    let running = Running::start().await;
    let client = &running.client;
    let runs = waiting(&running, 4).await;
    let usual = client.run(&runs[0]).await.unwrap().priority;
    let place = async |run: &str, to| {
        let change = RunPlace {
            to: Some(to),
            reason: Some("in a hurry".into()),
            by: Some("ann@north".into()),
            ..RunPlace::default()
        };
        client.place_run(run, &change).await
    };
    let first = place(&runs[2], QueueEnd::First).await.unwrap();
    assert!(first.priority > usual, "{first:?}");
    place(&runs[0], QueueEnd::Last).await.unwrap();
    assert_eq!(head(&running).await, [&runs[2], &runs[1], &runs[3], &runs[0]].map(String::clone));
    let back = RunPlace { priority: Some(usual), ..RunPlace::default() };
    client.place_run(&runs[2], &back).await.unwrap();
    client.place_run(&runs[0], &back).await.unwrap();
    assert_eq!(head(&running).await, runs, "as before");

    let reason = Reason { reason: Some("not wanted".into()), by: None };
    let dropped = client.drop_run(&runs[1], &reason).await.unwrap();
    assert_eq!((dropped.state, dropped.reason.as_deref()), (RunState::Cancelled, Some("not wanted")));
    assert_eq!(code(client.drop_run(&runs[1], &reason).await), ErrorCode::RunNotQueued);
    assert_eq!(code(place(&runs[1], QueueEnd::First).await), ErrorCode::RunNotQueued);
    assert_eq!(code(client.place_run(&runs[0], &RunPlace::default()).await), ErrorCode::FieldMissing);
    let both = RunPlace { to: Some(QueueEnd::First), priority: Some(1), ..RunPlace::default() };
    assert_eq!(code(client.place_run(&runs[0], &both).await), ErrorCode::FieldValue);

    let changes = client.queue_changes("mail", &PageFilter::default()).await.unwrap().items;
    // Of two in one millisecond, either may come first.
    let of = |action: QueueAction| changes.iter().filter(move |change| change.action == action).collect::<Vec<_>>();
    let [paused, dropped] = [QueueAction::Pause, QueueAction::Drop].map(|action| of(action)[0]);
    assert_eq!((of(QueueAction::Place).len(), changes.len()), (4, 6));
    assert!(changes.is_sorted_by_key(|change| std::cmp::Reverse(change.at)) && dropped.at >= paused.at);
    assert_eq!((dropped.run.as_deref(), dropped.job.as_deref()), (Some(&*runs[1]), Some("default/letter")));
    assert_eq!(dropped.reason.as_deref(), Some("not wanted"));
    let placed = changes.iter().find(|change| change.to.as_deref() == Some("first")).expect("it is kept");
    assert_eq!(placed.by.as_str(), "ann@north, with the access token");
    assert_eq!(placed.priority, Some(PriorityChange { before: usual, after: first.priority }));
    let filter = PageFilter { limit: Some(2), cursor: None };
    let page = client.queue_changes("mail", &filter).await.unwrap();
    let rest = client.queue_changes("mail", &PageFilter { cursor: page.next_cursor, limit: None }).await.unwrap();
    assert_eq!((page.items.len(), rest.items.len(), rest.next_cursor), (2, 4, None));
    assert_eq!(client.queue_changes("mai", &PageFilter::default()).await.unwrap().items, []);

    client.resume_queue("mail", &Reason::default()).await.unwrap();
    for run in [&runs[0], &runs[2], &runs[3]] {
        client.wait_for_run(run).await.unwrap();
    }
    running.stop().await;
}

#[tokio::test]
async fn change_of_limits_is_kept_with_what_was_set_before() {
    let running = Running::start().await;
    let client = &running.client;
    let five = QueueSettings { max_running: Some(5), ..QueueSettings::default() };
    let because = Reason { reason: Some("the printer is slow".into()), by: Some("ann@north".into()) };
    client.put_queue("mail", five, &because).await.unwrap();
    client.put_queue("mail", five, &because).await.unwrap();
    let changes = client.queue_changes("mail", &PageFilter::default()).await.unwrap().items;
    let [change] = &changes[..] else { panic!("what changes nothing is not kept: {changes:?}") };
    let settings = change.settings.unwrap();
    assert_eq!((change.action, settings.before, settings.after), (QueueAction::Set, QueueSettings::default(), five));
    assert_eq!(change.reason.as_deref(), Some("the printer is slow"));
    assert!(change.by.starts_with("ann@north"), "{change:?}");
    running.stop().await;
}
