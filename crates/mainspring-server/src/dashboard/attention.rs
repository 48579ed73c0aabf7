//! What somebody should look at, from what is known already.

use mainspring_api::{Attention, AttentionKind, DashboardPoint, LongRun};
use mainspring_core::Timestamp;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_store::RunCount;

use crate::show::instant;

/// Runs that wait for less are not late, in milliseconds.
const LATE_MS: i64 = 60_000;
/// Runs that take less are not stuck, in milliseconds.
const STUCK_MS: u64 = 60_000;

/// Something of a kind.
pub(super) fn item(kind: AttentionKind, count: u64, since: mainspring_api::Timestamp, detail: String) -> Attention {
    Attention { kind, namespace: None, job: None, queue: None, count, since, last_run: None, detail }
}

/// Runs that take more than twice as long as usual.
pub(super) fn stuck(longest: &[LongRun]) -> impl Iterator<Item = Attention> {
    longest.iter().filter_map(|run| {
        let usual = run.p95_ms.filter(|usual| run.running_ms > STUCK_MS && run.running_ms > usual.saturating_mul(2))?;
        let detail = format!(
            "has run for {} s; 19 of 20 of its runs take at most {} s",
            run.running_ms / 1_000,
            usual.div_ceil(1_000)
        );
        Some(Attention {
            namespace: Some(run.namespace.clone()),
            job: Some(run.job.clone()),
            last_run: Some(run.run.clone()),
            ..item(AttentionKind::Stuck, 1, run.started_at, detail)
        })
    })
}

/// Queues in which runs wait for long.
pub(super) fn late(runs: &[RunCount], now: Timestamp) -> impl Iterator<Item = Attention> {
    let waits = move |count: &&RunCount| count.state == RunState::Queued && now.since(count.oldest_due_at) > LATE_MS;
    runs.iter().filter(waits).map(move |count| {
        let queue = Line::parse(&count.queue).queue().to_owned();
        let detail = format!(
            "{} runs wait in queue \"{queue}\", the first for {} s",
            count.count,
            now.since(count.oldest_due_at) / 1_000
        );
        Attention { queue: Some(queue), ..item(AttentionKind::Late, count.count, instant(count.oldest_due_at), detail) }
    })
}

/// Fire times that were missed, by the minutes of the last hour.
pub(super) fn misfires(hour: &[DashboardPoint]) -> Option<Attention> {
    let count: u64 = hour.iter().map(|point| point.missed).sum();
    let last = hour.iter().rfind(|point| point.missed > 0)?;
    let detail = format!("{count} fire times were missed within the last hour");
    Some(item(AttentionKind::Misfires, count, last.at, detail))
}

/// Webhooks that rest.
pub(super) fn webhooks(resting: i64, now: Timestamp) -> Option<Attention> {
    let count = u64::try_from(resting).ok().filter(|count| *count > 0)?;
    let detail = format!("nothing is sent to {count} webhooks until somebody resumes them");
    Some(item(AttentionKind::Webhooks, count, instant(now), detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_is_stuck_beyond_twice_its_usual_time_and_a_minute() {
        let run = |running_ms, p95_ms| LongRun {
            run: "r".into(),
            namespace: "n".into(),
            job: "j".into(),
            started_at: mainspring_api::Timestamp::from_millis(0),
            running_ms,
            p95_ms,
        };
        for (running_ms, p95_ms, expected) in [
            (130_000, Some(60_000), true),
            (110_000, Some(60_000), false),
            (50_000, Some(1_000), false),
            (999_999, None, false),
        ] {
            assert_eq!(stuck(&[run(running_ms, p95_ms)]).count() == 1, expected, "{running_ms} {p95_ms:?}");
        }
    }

    #[test]
    fn queued_runs_are_late_after_a_minute() {
        let at = Timestamp::from_millis;
        let count = |state, due| RunCount { state, queue: "mail".into(), count: 3, oldest_due_at: at(due) };
        let runs = [count(RunState::Queued, 0), count(RunState::Queued, 50_000), count(RunState::Held, 0)];
        let found: Vec<_> = late(&runs, at(90_000)).collect();
        assert_eq!((found.len(), found[0].count, found[0].queue.as_deref()), (1, 3, Some("mail")));
        assert!(found[0].detail.contains("the first for 90 s"), "{}", found[0].detail);
    }
}
