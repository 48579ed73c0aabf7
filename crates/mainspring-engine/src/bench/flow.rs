//! `mainspring bench flow`: components that do nothing, and how fast items go through them.
//!
//! One node, in this process. The last component of a shape calls a function here, which says when items have come.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mainspring_core::flow::body::{Body, Content};
use mainspring_core::flow::{Component, Connection, Definition, IdleCheck, Part, Trigger};
use mainspring_store::{FlowWrite, Store};
use serde::Serialize;
use tokio::sync::watch;

use super::fires::rounded;
use super::place::Place;
use super::usage::{Usage, rss_mb};
use super::{Error, Pace, Result, Site, seconds};
use crate::clock::{Clock, SystemClock, pause};
use crate::engine::Engine;
use crate::flow::{Action, FlowError, Flows, Session};
use crate::settings::Settings;

/// What the flow is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowShape {
    /// Each component passes items on to the next one.
    Chain,
    /// One component passes a copy of each item to all others.
    Fan,
    /// Components that have no work.
    Idle,
}

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowPlan {
    /// What the flow is like.
    pub shape: FlowShape,
    /// Components, beside that into which items are put.
    pub components: u32,
    /// Items that are put one after another, and once more all at once.
    pub items: u32,
    /// How long idle components are watched, and how long items may take at most.
    pub seconds: u32,
    /// After how many ms components look again whether they may run, as in Apache NiFi; nothing where they are woken.
    pub poll_ms: Option<u32>,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FlowBench {
    /// The store's kind and version.
    pub store: String,
    /// What the flow is like.
    pub shape: FlowShape,
    /// Components, beside that into which items are put.
    pub components: u32,
    /// Items that were put all at once.
    pub items: u32,
    /// After how many ms components looked again whether they may run; nothing where they were woken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_ms: Option<u32>,
    /// From the request that puts one item until the last component has it, in ms: half of the items were not slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through_p50_ms: Option<f64>,
    /// The same for 99 of 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through_p99_ms: Option<f64>,
    /// Items that came to the end in a second, when they were put all at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_per_second: Option<f64>,
    /// How long that took, or how long idle components were watched.
    pub seconds: f64,
    /// How often gates were asked in a second meanwhile.
    pub checks_per_second: f64,
    /// Processor time meanwhile, in percent of a core.
    pub cpu_percent: f64,
    /// Resident memory at the end.
    pub rss_mb: f64,
    /// Items that did not come to the end.
    pub lost: u64,
    /// Items that came more than once.
    pub duplicates: u64,
}

const FLOW: (&str, &str) = ("default", "bench");
const END: &str = "end";
/// Items in one request of those that are put all at once.
const PUT_TOGETHER: usize = 500;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, or is not empty.
pub async fn flow(site: Site<'_>, plan: FlowPlan) -> Result<FlowBench> {
    let place = Place::empty(&site).await?;
    let store = place.open().await?;
    save(&*store, plan).await?;
    let flow_idle_check = plan.poll_ms.map_or(IdleCheck::Wake, |every_ms| IdleCheck::Poll(i64::from(every_ms)));
    let settings = Settings { flow_idle_check, ..Settings::default() };
    let engine = Engine::start(Arc::clone(&store), settings).await.map_err(Error::from)?;
    let (count, arrived) = watch::channel(0_u64);
    let total = Arc::new(AtomicU64::new(0));
    engine.flow_handlers().register(END, move |session: Session| {
        let mut here = 0;
        while let Some(item) = session.get() {
            here += 1;
            // It ends here; the session is not committed yet, so this cannot fail.
            drop(session.remove(&item));
        }
        let now = total.fetch_add(here, Ordering::SeqCst) + here;
        count.send_replace(now);
        std::future::ready(())
    });
    let measured = measure(&engine, &site, plan, arrived).await;
    let info = store.info().await?;
    // It lets go of the store, too.
    engine.stop(Duration::from_secs(5)).await?;
    Ok(FlowBench { store: format!("{} {}", info.kind, info.version), ..measured? })
}

async fn measure(engine: &Engine, site: &Site<'_>, plan: FlowPlan, arrived: watch::Receiver<u64>) -> Result<FlowBench> {
    let flows = engine.flows();
    flows.reload(None).await.map_err(failed)?;
    let limit = Duration::from_secs(u64::from(plan.seconds));
    start(flows, limit).await?;
    let mut ends = Ends { arrived, copies: u64::from(if plan.shape == FlowShape::Fan { plan.components } else { 1 }) };
    let mut through = Vec::new();
    let mut put = 0;
    if plan.shape != FlowShape::Idle {
        for number in 0..plan.items.min(1_000) {
            (site.progress)("items", u64::from(number), u64::from(plan.items.min(1_000)));
            let begun = Instant::now();
            put += put_items(flows, 1).await?;
            if !ends.reach(put, limit).await {
                break;
            }
            through.push(begun.elapsed());
        }
    }
    let usage = Usage::beside(site.store);
    let process = [std::process::id()];
    let checks = checks(flows).await?;
    let (begun, cpu) = (Instant::now(), usage.cpu(&process));
    if plan.shape == FlowShape::Idle {
        let mut pace = Pace::new();
        let begin = SystemClock.now();
        for second in 0..plan.seconds {
            (site.progress)("seconds", u64::from(second), u64::from(plan.seconds));
            pace.until(begin + (i64::from(second) + 1) * 1_000).await;
        }
    } else {
        let mut left = plan.items as usize;
        while left > 0 {
            let some = left.min(PUT_TOGETHER);
            put += put_items(flows, some).await?;
            left -= some;
        }
        ends.reach(put, limit).await;
    }
    let elapsed = begun.elapsed();
    let used = usage.cpu(&process).since(cpu).nodes;
    let checked = self::checks(flows).await? - checks;
    let (came, expected) = (ends.count(), put * ends.copies);
    through.sort_unstable();
    let quantile = |share: usize| {
        let place = (through.len() * share).div_ceil(100).checked_sub(1)?;
        Some((through.get(place)?.as_secs_f64() * 100_000.0).round() / 100.0)
    };
    let per_second = |count: f64| rounded(count / elapsed.as_secs_f64());
    Ok(FlowBench {
        store: String::new(),
        shape: plan.shape,
        components: plan.components,
        items: plan.items,
        poll_ms: plan.poll_ms,
        through_p50_ms: quantile(50),
        through_p99_ms: quantile(99),
        items_per_second: (plan.shape != FlowShape::Idle).then(|| per_second(f64::from(plan.items))),
        seconds: seconds(elapsed),
        checks_per_second: per_second(as_float(checked)),
        cpu_percent: rounded(used / elapsed.as_secs_f64() * 100.0),
        rss_mb: rss_mb(&process),
        lost: expected.saturating_sub(came),
        duplicates: came.saturating_sub(expected),
    })
}

/// Starts the flow. A node of a cluster takes it a moment after it has joined.
async fn start(flows: &Flows, limit: Duration) -> Result<()> {
    let begun = Instant::now();
    loop {
        match flows.change(FLOW.0, FLOW.1, None, Action::Start).await {
            Err(FlowError::Elsewhere) if begun.elapsed() < limit => pause(10).await,
            changed => return changed.map(drop).map_err(failed),
        }
    }
}

/// Who counts the items that have come to the end.
struct Ends {
    arrived: watch::Receiver<u64>,
    /// How often each item comes.
    copies: u64,
}

impl Ends {
    /// Waits until so many items have come. False: it took too long.
    async fn reach(&mut self, items: u64, limit: Duration) -> bool {
        let wanted = items * self.copies;
        let came = self.arrived.wait_for(|count| *count >= wanted);
        tokio::time::timeout(limit, came).await.is_ok()
    }

    fn count(&self) -> u64 {
        *self.arrived.borrow()
    }
}

/// Puts items, and waits where a queue is full. Answers how many.
async fn put_items(flows: &Flows, count: usize) -> Result<u64> {
    use mainspring_core::flow::Refused;

    let item = Content { payload: b"item".to_vec(), ..Content::default() };
    loop {
        match flows.put_items(FLOW.0, FLOW.1, "in", vec![item.clone(); count]).await {
            Ok(_) => return Ok(count as u64),
            Err(FlowError::Refused { refused: Refused::Full, .. }) => crate::clock::pause(1).await,
            Err(error) => return Err(failed(error)),
        }
    }
}

async fn checks(flows: &Flows) -> Result<u64> {
    Ok(flows.view(FLOW.0, FLOW.1).await.map_err(failed)?.checks)
}

fn failed(error: FlowError) -> Error {
    match error {
        FlowError::Store(error) => Error::Store(error),
        error => Error::Node(error.to_string()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
const fn as_float(count: u64) -> f64 {
    count as f64
}

async fn save(store: &dyn Store, plan: FlowPlan) -> Result {
    let definition = serde_json::to_string(&definition(plan)).expect("a definition is plain data");
    let flow = FlowWrite {
        namespace: FLOW.0.to_owned(),
        name: FLOW.1.to_owned(),
        definition,
        source: "{}".to_owned(),
        states: "{}".to_owned(),
        expect: None,
        touched: None,
        at: SystemClock.now(),
    };
    store.flow_store().save_flow(flow).await?;
    Ok(())
}

/// The flow of a shape: `in`, and then its components.
fn definition(plan: FlowPlan) -> Definition {
    let count = plan.components.max(1) as usize;
    let timer = |name: String| Component { trigger: Trigger::Timer { run_schedule_ms: 0 }, ..Component::new(name) };
    let end = |number: usize| {
        let ended = ["success".to_owned(), "failure".to_owned()].into();
        let relationships = vec!["success".to_owned(), "failure".to_owned()];
        let component =
            Component { ended, relationships, batch: 1_000, trigger: Trigger::Event, ..timer(format!("end{number}")) };
        Part { component, body: Body::Handler { name: END.to_owned() } }
    };
    let hop = |number: usize| {
        let component = Component { batch: 1_000, ..Component::funnel(format!("hop{number}")) };
        Part { component, body: Body::Funnel }
    };
    let input = Component { is_passive: true, ..Component::new("in") };
    let input = Part { component: input, body: Body::HttpIn { max_bytes: 1 << 20 } };
    let (parts, connections): (Vec<Part>, Vec<Connection>) = match plan.shape {
        FlowShape::Chain => {
            let hops = (1..count).map(hop).chain([end(count)]);
            let connections = (0..count).map(|from| Connection::new(from, from + 1));
            (std::iter::once(input).chain(hops).collect(), connections.collect())
        }
        FlowShape::Fan | FlowShape::Idle => {
            let connections = (1..=count).map(|to| Connection::new(0, to));
            (std::iter::once(input).chain((1..=count).map(end)).collect(), connections.collect())
        }
    };
    Definition { parts, connections }
}

#[cfg(test)]
mod tests;
