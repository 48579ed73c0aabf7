//! Carries the plan out, and writes down what was done when.

use anyhow::{Context, Result, bail};
use mainspring_core::Timestamp;
use mainspring_rig::{Flow, Replication, Shutdown};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::notes::Notes;
use crate::plan::{Kind, Planned, Target};

/// The time that the faults may be behind the plan: a busy machine takes longer, and what was done must still be
/// checked.
const LATEST: Duration = Duration::from_secs(300);

/// Within which a server sees that it has lost a process.
const NOTICES_WITHIN: Duration = Duration::from_secs(1);
/// Within which it answers again.
const RECOVERS_WITHIN: Duration = Duration::from_secs(120);

/// A fault that was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    pub(crate) kind: Kind,
    pub(crate) target: Target,
    /// The [planned](Planned::amount) amount.
    pub(crate) amount: i64,
    pub(crate) from: Timestamp,
    /// The time at which it was undone: the node or the database was up again.
    pub(crate) to: Timestamp,
    /// The shards of the node that it hit.
    pub(crate) shards: Vec<u8>,
    /// Whether it changed anything.
    pub(crate) had_effect: bool,
    /// The harm that the wires of the node or worker had done before.
    pub(crate) before: u64,
}

/// A beginning or an end, by its place in the plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    End(usize),
    Begin(usize),
}

/// Does what is planned, and undoes it.
pub(crate) async fn torture(cluster: &mut Cluster, planned: &[Planned], notes: &Notes) -> Result<()> {
    carry_out(planned, async |step| {
        match step {
            Step::Begin(place) => notes.fault(place, begin(cluster, &planned[place]).await?),
            Step::End(place) => {
                let mut done = notes.begun(place).context("what ends has begun")?;
                done.had_effect = had_effect(cluster, &done).await;
                end(cluster, &planned[place]).await?;
                done.to = mainspring_rig::now()?;
                notes.fault(place, done);
            }
        }
        Ok(())
    })
    .await
}

/// Takes one step after another in time. What takes longer than planned puts off what comes after it; when that is [too late](LATEST),
/// nothing begins any more, and what has begun still ends.
async fn carry_out(planned: &[Planned], mut take: impl AsyncFnMut(Step) -> Result<()>) -> Result<()> {
    let start = Instant::now();
    let mut begun = start;
    let mut left_out = BTreeSet::new();
    for (at_ms, step) in steps(planned) {
        let after = Duration::from_millis(at_ms);
        let is_late = begun > start + LATEST;
        match step {
            Step::Begin(place) if is_late => {
                left_out.insert(place);
                continue;
            }
            Step::End(place) if left_out.contains(&place) => continue,
            _ => tokio::time::sleep_until(begun + after).await,
        }
        take(step).await?;
        begun = begun.max(Instant::now() - after);
    }
    Ok(())
}

fn steps(planned: &[Planned]) -> Vec<(u64, Step)> {
    let both = |(place, fault): (usize, &Planned)| {
        [(fault.begins_ms, Step::Begin(place)), (fault.begins_ms + fault.lasts_ms, Step::End(place))]
    };
    let mut steps: Vec<(u64, Step)> = planned.iter().enumerate().flat_map(both).collect();
    // The beginning of a fault that lasts no time comes before its end.
    steps.sort_by_key(|(at_ms, step)| match step {
        Step::Begin(place) => (*at_ms, *place, 0),
        Step::End(place) => (*at_ms, *place, 1),
    });
    steps
}

async fn begin(cluster: &mut Cluster, fault: &Planned) -> Result<Done> {
    let shards = match fault.target {
        Target::Node(node) if !cluster.is_alone() => cluster.shards_of(node).await,
        _ => Vec::new(),
    };
    let standby = match fault.kind {
        Kind::Promotion => Some(tokio::task::block_in_place(|| cluster.server()?.standby(Replication::Synchronous))?),
        _ => None,
    };
    let from = mainspring_rig::now()?;
    let before = harm(cluster, fault.target);
    let had_effect = match (fault.kind, fault.target) {
        (Kind::WorkerKilled, Target::Worker(worker)) => cluster.take_worker(worker)?.kill().map(|()| true)?,
        (Kind::WorkerStopped, Target::Worker(worker)) => cluster.worker(worker)?.signal(Signal::STOP).map(|()| true)?,
        (Kind::WorkerCut, Target::Worker(worker)) => {
            cluster.cut_off(worker, true);
            true
        }
        (Kind::Kill, Target::Node(node)) => cluster.take(node)?.kill().map(|()| true)?,
        (Kind::Stop, Target::Node(node)) => cluster.node(node)?.signal(Signal::STOP).map(|()| true)?,
        (Kind::ClockNear | Kind::ClockFar, Target::Node(node)) => {
            cluster.set_clock(node, fault.amount).map(|()| true)?
        }
        (Kind::Unplugged, Target::Node(node)) => {
            cluster.host(node)?.plug(false)?;
            cluster.wire(node).open() > 0
        }
        (Kind::LeaseLocked | Kind::SnapshotHeld, target) => cluster.hold(target.node(), fault.lasts_ms).await?,
        (Kind::RollingRestart, _) => {
            for node in 0..cluster.count() {
                let taken = cluster.take(node)?;
                tokio::task::block_in_place(|| taken.stop())?;
                cluster.start_node(node).await?;
            }
            true
        }
        (Kind::Promotion, _) => {
            let standby = standby.context("a promotion has a standby")?;
            tokio::task::block_in_place(|| cluster.promote(standby)).map(|()| true)?
        }
        // A server that recovers lets nobody ask.
        (Kind::SessionsEnded, _) => tokio::task::block_in_place(|| cluster.end_sessions()).unwrap_or_default(),
        (Kind::SessionsExhausted, _) => {
            let most = u32::try_from(fault.amount)?;
            tokio::task::block_in_place(|| {
                cluster.limit_sessions(Some(most))?;
                cluster.end_sessions()
            })?
        }
        (Kind::SessionKilled, _) => {
            let killed = break_database(cluster, Kind::SessionKilled)?;
            if killed {
                let server = cluster.server()?;
                await_recovery(|| tokio::task::block_in_place(|| server.ask("SELECT 1").is_ok())).await?;
            }
            killed
        }
        (kind, Target::Node(node)) => break_wire(cluster, node, kind, fault.amount),
        (kind, _) => break_database(cluster, kind)?,
    };
    Ok(Done {
        kind: fault.kind,
        target: fault.target,
        amount: fault.amount,
        from,
        to: mainspring_rig::now()?,
        shards,
        had_effect,
        before,
    })
}

/// Returns whether a fault that is about to be undone has changed anything.
async fn had_effect(cluster: &Cluster, done: &Done) -> bool {
    match (done.kind, done.target) {
        (Kind::Cut | Kind::CutOneWay | Kind::Slow | Kind::HalfOpen | Kind::WorkerCut, target) => {
            harm(cluster, target) > done.before
        }
        // More is refused. A server that is away for another reason lets nobody in either.
        (Kind::SessionsExhausted, _) => {
            let most = u32::try_from(done.amount).unwrap_or_default();
            tokio::task::block_in_place(|| cluster.has_used_up(most)).unwrap_or_default()
        }
        // It had shards, and the others have them.
        (Kind::ClockFar, Target::Node(node)) => !done.shards.is_empty() && cluster.shards_of(node).await.is_empty(),
        _ => done.had_effect,
    }
}

/// Returns how much the wires of the node or worker that a fault hits have held up, lost or reset so far.
fn harm(cluster: &Cluster, target: Target) -> u64 {
    match target {
        Target::Node(node) => cluster.harm_to(node),
        Target::Worker(worker) => cluster.harm_to_worker(worker),
        Target::All => 0,
    }
}

/// Returns whether there is a connection to break.
fn break_wire(cluster: &Cluster, node: usize, kind: Kind, amount: i64) -> bool {
    let wire = cluster.wire(node);
    let is_open = wire.open() > 0;
    match kind {
        Kind::Cut => wire.set(Flow::Hold),
        Kind::CutOneWay if amount > 0 => wire.set_each(Flow::Hold, Flow::Pass),
        Kind::CutOneWay => wire.set_each(Flow::Pass, Flow::Hold),
        Kind::Slow => wire.set(Flow::Delay(Duration::from_millis(amount.unsigned_abs()))),
        Kind::HalfOpen => wire.set(Flow::Swallow),
        _ => wire.reset(),
    }
    is_open
}

fn break_database(cluster: &mut Cluster, kind: Kind) -> Result<bool> {
    tokio::task::block_in_place(|| {
        let server = cluster.server()?;
        match kind {
            Kind::DatabaseRestart => server.stop(Shutdown::Fast)?,
            Kind::DatabaseCrash => server.stop(Shutdown::Immediate)?,
            // A session may have ended meanwhile, and a server that recovers has none.
            _ => {
                let session = server.sessions().unwrap_or_default().first().copied();
                return Ok(session.is_some_and(|session| server.kill_session(session).is_ok()));
            }
        }
        Ok(true)
    })
}

async fn end(cluster: &mut Cluster, fault: &Planned) -> Result<()> {
    match (fault.kind, fault.target) {
        (Kind::Kill, Target::Node(node)) => cluster.start_node(node).await,
        (Kind::Stop, Target::Node(node)) => cluster.node(node)?.signal(Signal::CONT),
        (Kind::WorkerKilled, Target::Worker(worker)) => cluster.start_worker(worker),
        (Kind::WorkerStopped, Target::Worker(worker)) => cluster.worker(worker)?.signal(Signal::CONT),
        (Kind::WorkerCut, Target::Worker(worker)) => {
            cluster.cut_off(worker, false);
            Ok(())
        }
        (Kind::ClockNear | Kind::ClockFar, Target::Node(node)) => {
            cluster.set_clock(node, 0)?;
            Ok(())
        }
        (Kind::Unplugged, Target::Node(node)) => cluster.host(node)?.plug(true),
        (Kind::Cut | Kind::CutOneWay | Kind::Slow | Kind::HalfOpen, Target::Node(node)) => {
            cluster.wire(node).set(Flow::Pass);
            Ok(())
        }
        (Kind::LeaseLocked | Kind::SnapshotHeld, target) => cluster.let_go(target.node()),
        (Kind::SessionsExhausted, _) => tokio::task::block_in_place(|| cluster.limit_sessions(None)),
        (Kind::DatabaseRestart | Kind::DatabaseCrash, _) => tokio::task::block_in_place(|| cluster.server()?.resume()),
        _ => Ok(()),
    }
}

/// Waits until a server answers that may have lost a process: it sees that within a moment, ends all sessions and recovers.
async fn await_recovery(answers: impl Fn() -> bool) -> Result<()> {
    let until = async |limit: Duration, wanted: bool| {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if answers() == wanted {
                return true;
            }
            crate::pause_for(Duration::from_millis(20)).await;
        }
        false
    };
    until(NOTICES_WITHIN, false).await;
    if until(RECOVERS_WITHIN, true).await { Ok(()) } else { bail!("the server does not answer any more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn server_that_recovers_is_waited_for_though_it_answers_once_more_before() {
        let answers = [true, true, false, false, false, true];
        let asked = std::cell::Cell::new(0);
        await_recovery(|| answers[asked.replace(asked.get() + 1)]).await.unwrap();
        assert_eq!(asked.get(), answers.len());
    }

    /// Faults that begin every ten seconds and last for fifteen, of which each takes so long to begin.
    async fn carried_out(count: u64, takes: Duration) -> (Vec<Step>, Duration) {
        let (kind, target, lasts_ms, amount) = (Kind::Stop, Target::Node(0), 15_000, 0);
        let fault = |place| Planned { kind, target, begins_ms: place * 10_000, lasts_ms, amount };
        let planned: Vec<Planned> = (0..count).map(fault).collect();
        let (mut taken, start) = (Vec::new(), Instant::now());
        carry_out(&planned, async |step| {
            if matches!(step, Step::Begin(_)) {
                crate::pause_for(takes).await;
            }
            taken.push(step);
            Ok(())
        })
        .await
        .unwrap();
        (taken, start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn plan_that_is_too_late_begins_nothing_more_and_undoes_what_has_begun() {
        let (taken, took) = carried_out(3, Duration::from_secs(1)).await;
        let expected = [Step::Begin(0), Step::Begin(1), Step::End(0), Step::Begin(2), Step::End(1), Step::End(2)];
        assert_eq!(taken, expected);
        // Each step is put off by what the steps before it took.
        assert_eq!(took, Duration::from_secs(38));

        // After the fourth it is 400 seconds late.
        let (taken, took) = carried_out(50, Duration::from_secs(100)).await;
        let begun = |step: &Step| matches!(step, Step::Begin(_));
        let ended = |place| taken.contains(&Step::End(place));
        assert_eq!((taken.iter().filter(|step| begun(step)).count(), taken.len()), (4, 8));
        assert!((0..4).all(ended), "{taken:?}");
        assert_eq!(took, Duration::from_secs(445));
    }
}
