//! The dates that processes of plain jobs are told.

use std::sync::Arc;

use mainspring_core::job::{ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::run::AttemptOutcome;
use mainspring_core::workflow::backfill::{Order, Reprocess};
use mainspring_engine::Told;
use mainspring_engine::control::{Ask, Wish};
use mainspring_store::MemoryStore;

use crate::workers::{end, ends, engine, join_as, save, told};

#[tokio::test]
async fn process_of_a_plain_job_is_told_the_dates_of_its_run() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let every = TriggerDefinition::new("hourly", ScheduleDefinition::Cron { expression: "0 * * * *".into() });
    let key = save(&engine, |job| {
        job.task = Task::Exec { argv: vec!["true".into()] };
        job.env.insert("MS_LOGICAL_DATE".into(), "forged".into());
        job.triggers.push(every);
    })
    .await;
    let worker = join_as(&engine, "far", 4, &[]).await;
    let wish = Wish {
        trigger: None,
        zone: None,
        from: "2026-05-04T03:00:00Z".into(),
        to: Some("2026-05-04T03:00:00Z".into()),
        reprocess: Reprocess::Missing,
        part: None,
        cascade: false,
        order: Order::Ascending,
        max_active: 1,
        stop_on_failure: false,
        priority: None,
    };
    engine.control().start_backfill(&key, &wish, None, None).await.expect("started");
    let dates = |given: &Told| {
        let env = &given.runs[0].definition.env;
        ["MS_LOGICAL_DATE", "MS_DATA_START", "MS_DATA_END"].map(|name| env[name].clone())
    };
    let (given, number) = told(&engine, worker, 1, 4, &[]).await;
    let expected = ["2026-05-04T03:00:00.000Z", "2026-05-04T02:00:00.000Z", "2026-05-04T03:00:00.000Z"];
    assert_eq!(dates(&given), expected);
    let run = given.runs[0].start.run;
    engine.workers().report(worker, ends(vec![end(run, 1, AttemptOutcome::Succeeded)])).await.expect("reported");
    engine.control().wait(run).await.expect("it ends");
    // One that repeats it stands for the same interval, and one that was asked for has none.
    let again = engine.control().rerun(run, false, None).await.expect("asked for").id;
    let (given, number) = told(&engine, worker, number + 1, 4, &[]).await;
    assert_eq!((given.runs[0].start.run, dates(&given)), (again, expected.map(str::to_owned)));
    let asked = engine.control().run_now(&key, Ask::default()).await.expect("asked for");
    let (given, _) = told(&engine, worker, number + 1, 3, &[(again, 1)]).await;
    let at = asked.fire_time.to_string();
    assert_eq!(dates(&given), [at.clone(), at.clone(), at]);
}
