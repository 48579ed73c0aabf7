//! A store whose next fires were computed with older zone data.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::{Timestamp, TzdataVersion};
use mainspring_engine::{Engine, Handlers, ManualClock, Settings};
use mainspring_store::conformance::kit::Draft;
use mainspring_store::{MemoryStore, Store};

use crate::kit::until;

const MINUTE_MS: i64 = 60_000;

#[tokio::test]
async fn next_fire_of_older_zone_data_is_moved_long_before_it_is_due_and_fires_once() {
    let now: Timestamp = "2026-06-01T00:00:00Z".parse().expect("an instant");
    let key = JobKey::new("default", "hours");
    let mut trigger = TriggerDefinition::new("t", ScheduleDefinition::Cron { expression: "0 * * * *".into() });
    trigger.timezone = "Asia/Kathmandu".into();
    // Half past is what it would be at five and a half hours from UTC.
    let mut draft = Draft::of(Job::new(key.clone(), Task::Noop)).trigger_with(trigger, Some(now + 30 * MINUTE_MS));
    let progress = &mut draft.0.triggers[0].progress;
    (progress.start_at, progress.fired_through) = (now, Some(now - 1));
    progress.tzdata = Some(TzdataVersion::from_number(202_001));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    store.save_jobs(vec![draft.0]).await.expect("it is saved");

    let clock = ManualClock::new(now);
    let handlers = Arc::<Handlers>::default();
    let engine = Engine::start_with(Arc::clone(&store), Settings::default(), Arc::new(clock.clone()), handlers);
    let engine = engine.await.expect("it starts");
    let progress = || async { store.prior(&key).await.expect("it is read").triggers[0].row.progress };
    let due = now + 15 * MINUTE_MS;
    until("it is moved", || async { (progress().await.next_fire_at == Some(due)).then_some(()) }).await;
    assert_eq!(progress().await.tzdata, Some(TzdataVersion::bundled()));
    assert_eq!(engine.metrics().triggers_moved.get(), 1);

    clock.set(due);
    until("it goes on", || async { (progress().await.next_fire_at == Some(due + 60 * MINUTE_MS)).then_some(()) }).await;
    let tally = store.tally().await.expect("it is counted");
    assert_eq!((tally[0].fired, tally[0].missed, tally[0].last), (1, 0, Some(due)));
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
}
