//! `mainspring bench flow`: components that do nothing, and how fast items go through them.
//!
//! One node, in this process. The last component of a shape calls a function here, which says when items have come.

mod tally;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::flow::body::{Body, Content};
use mainspring_core::flow::{Component, Connection, Definition, IdleCheck, Part, Prioritizer, Trigger};
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
use tally::{Seen, Tally};

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
    /// One component, before which items wait; more urgent ones come while they do.
    Queue,
    /// One component, before which items are penalised for an hour.
    Penalised,
}

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowPlan {
    /// What the flow is like.
    pub shape: FlowShape,
    /// Components, beside that into which items are put.
    pub components: u32,
    /// Items that are put one after another, and once more all at once; of a queue, those that wait.
    pub items: u32,
    /// How long components are watched that have no work, and how long items may take at most.
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
    /// What was the same before the items of a queue waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_p50_ms: Option<f64>,
    /// The same for 99 of 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_p99_ms: Option<f64>,
    /// How long the request took that put one item, in ms: it is answered once that is durable. Half of them were not slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_p50_ms: Option<f64>,
    /// Transactions for each item that was put alone, that of the put included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_per_item: Option<f64>,
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
    /// Items that neither came to the end nor are in a queue, by the tables.
    pub lost: u64,
    /// Items that came more than once, or came and are in a queue all the same.
    pub duplicates: u64,
}

const FLOW: (&str, &str) = ("default", "bench");
const END: &str = "end";
/// The attribute with the number of an item. It is in the items' rows, so that they can be counted there.
const NUMBER: &str = "priority";
/// The number of the first item of those that wait.
const WAITING: u64 = 1_000_000_000;
/// Items in one request of those that are put all at once.
const PUT_TOGETHER: u64 = 500;
/// Items that are put one by one while others wait.
const ROUNDS: u32 = 1_000;
/// Items that are read at once.
const PAGE: u32 = 5_000;
/// For how long items are penalised, in ms.
const PENALTY_MS: i64 = 3_600_000;

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
    let seen = Arc::<Seen>::default();
    let arrived = seen.subscribe();
    let noted = Arc::clone(&seen);
    let penalises = plan.shape == FlowShape::Penalised;
    engine.flow_handlers().register(END, move |session: Session| {
        let mut numbers = Vec::new();
        while let Some(item) = session.get() {
            numbers.extend(item.attributes.get(NUMBER).and_then(|it| it.parse::<u64>().ok()));
            // The session is not committed yet, so this cannot fail.
            drop(if penalises { session.penalize(&item) } else { session.remove(&item) });
        }
        noted.note(&numbers);
        std::future::ready(())
    });
    let measured = Measure { flows: engine.flows(), site: &site, plan, arrived, put: 0 }.run().await;
    let (lost, duplicates) =
        settle(&*store, engine.flows(), plan, &seen, measured.as_ref().map_or(0, |it| it.put)).await?;
    let info = store.info().await?;
    // It lets go of the store, too.
    engine.stop(Duration::from_secs(5)).await?;
    let Measured { bench, .. } = measured?;
    Ok(FlowBench { store: format!("{} {}", info.kind, info.version), lost, duplicates, ..bench })
}

/// What was measured, and how many items were put one after another and at once.
struct Measured {
    bench: FlowBench,
    put: u64,
}

/// A benchmark under way.
struct Measure<'a> {
    flows: &'a Flows,
    site: &'a Site<'a>,
    plan: FlowPlan,
    arrived: watch::Receiver<u64>,
    put: u64,
}

impl Measure<'_> {
    async fn run(mut self) -> Result<Measured> {
        let plan = self.plan;
        let rounds = plan.items.min(ROUNDS);
        let mut bench = FlowBench {
            store: String::new(),
            shape: plan.shape,
            components: plan.components,
            items: plan.items,
            poll_ms: plan.poll_ms,
            through_p50_ms: None,
            through_p99_ms: None,
            empty_p50_ms: None,
            empty_p99_ms: None,
            put_p50_ms: None,
            commits_per_item: None,
            items_per_second: None,
            seconds: 0.0,
            checks_per_second: 0.0,
            cpu_percent: 0.0,
            rss_mb: 0.0,
            lost: 0,
            duplicates: 0,
        };
        match plan.shape {
            FlowShape::Chain | FlowShape::Fan => {
                self.start(None).await?;
                self.one_by_one(&mut bench, rounds).await?;
                let took = self.watched(&mut bench, async |it| it.all_at_once(plan.items).await).await?;
                bench.items_per_second = Some(rounded(f64::from(plan.items) / took.as_secs_f64()));
            }
            FlowShape::Idle => {
                self.start(None).await?;
                self.watched(&mut bench, Self::wait).await?;
            }
            FlowShape::Queue => {
                self.start(Some("in")).await?;
                (bench.empty_p50_ms, bench.empty_p99_ms) = self.urgent(rounds).await?;
                self.fill(plan.items).await?;
                let mut times = (None, None);
                self.watched(&mut bench, async |it| {
                    times = it.urgent(rounds).await?;
                    Ok(())
                })
                .await?;
                (bench.through_p50_ms, bench.through_p99_ms) = times;
            }
            FlowShape::Penalised => {
                self.start(None).await?;
                self.fill(plan.items).await?;
                self.reach(u64::from(plan.items)).await;
                at_rest(self.flows, self.limit()).await?;
                self.watched(&mut bench, Self::wait).await?;
            }
        }
        Ok(Measured { bench, put: self.put })
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(u64::from(self.plan.seconds))
    }

    /// Starts a component, or all. A node of a cluster takes the flow a moment after it has joined.
    async fn start(&self, component: Option<&str>) -> Result<()> {
        let begun = Instant::now();
        loop {
            let components = component.map(|name| vec![name.to_owned()]);
            match self.flows.change(FLOW.0, FLOW.1, components, Action::Start).await {
                Err(FlowError::Elsewhere) if begun.elapsed() < self.limit() => pause(10).await,
                changed => return changed.map(drop).map_err(failed),
            }
        }
    }

    /// Does something, and notes what it costs.
    async fn watched(
        &mut self,
        bench: &mut FlowBench,
        work: impl AsyncFnOnce(&mut Self) -> Result,
    ) -> Result<Duration> {
        let usage = Usage::beside(self.site.store);
        let process = [std::process::id()];
        let checks = checks(self.flows).await?;
        let (begun, cpu) = (Instant::now(), usage.cpu(&process));
        work(self).await?;
        let elapsed = begun.elapsed();
        let used = usage.cpu(&process).since(cpu).nodes;
        let checked = self::checks(self.flows).await? - checks;
        bench.seconds = seconds(elapsed);
        bench.checks_per_second = rounded(as_float(checked) / elapsed.as_secs_f64());
        bench.cpu_percent = rounded(used / elapsed.as_secs_f64() * 100.0);
        bench.rss_mb = rss_mb(&process);
        Ok(elapsed)
    }

    /// Lets time pass.
    async fn wait(&mut self) -> Result {
        let mut pace = Pace::new();
        let begin = SystemClock.now();
        for second in 0..self.plan.seconds {
            (self.site.progress)("seconds", u64::from(second), u64::from(self.plan.seconds));
            pace.until(begin + (i64::from(second) + 1) * 1_000).await;
        }
        Ok(())
    }

    /// Puts one item after another, each when the one before has come to the end.
    async fn one_by_one(&mut self, bench: &mut FlowBench, rounds: u32) -> Result {
        let (mut through, mut puts) = (Vec::new(), Vec::new());
        let commits = self.commits().await?;
        for round in 0..rounds {
            (self.site.progress)("items", u64::from(round), u64::from(rounds));
            let begun = Instant::now();
            self.put(1).await?;
            puts.push(begun.elapsed());
            if !self.reach(self.put).await {
                break;
            }
            through.push(begun.elapsed());
        }
        at_rest(self.flows, self.limit()).await?;
        if !through.is_empty() {
            let each = as_float(self.commits().await? - commits) / f64::from(rounds);
            bench.commits_per_item = Some(rounded(each));
        }
        (bench.through_p50_ms, bench.through_p99_ms) = quantiles(&mut through);
        bench.put_p50_ms = quantiles(&mut puts).0;
        Ok(())
    }

    async fn commits(&self) -> Result<u64> {
        Ok(self.flows.view(FLOW.0, FLOW.1).await.map_err(failed)?.commits)
    }

    async fn all_at_once(&mut self, items: u32) -> Result {
        let mut left = u64::from(items);
        while left > 0 {
            let some = left.min(PUT_TOGETHER);
            self.put(some).await?;
            left -= some;
        }
        self.reach(self.put).await;
        Ok(())
    }

    /// Puts items that wait: none of them is as urgent as those that are put one by one.
    async fn fill(&mut self, items: u32) -> Result {
        let (mut done, of) = (0, u64::from(items));
        while done < of {
            let some = (of - done).min(PUT_TOGETHER);
            put_items(self.flows, WAITING + done..WAITING + done + some).await?;
            done += some;
            (self.site.progress)("items", done, of);
        }
        Ok(())
    }

    /// Puts urgent items, and lets the component take one each time.
    async fn urgent(&mut self, rounds: u32) -> Result<(Option<f64>, Option<f64>)> {
        let mut took = Vec::new();
        for round in 0..rounds {
            (self.site.progress)("urgent items", u64::from(round), u64::from(rounds));
            let begun = Instant::now();
            self.put(1).await?;
            let taker = Some(vec![format!("{END}1")]);
            self.flows.change(FLOW.0, FLOW.1, taker, Action::RunOnce).await.map_err(failed)?;
            if !self.reach(self.put).await {
                break;
            }
            took.push(begun.elapsed());
            // It runs once more when it has ended.
            at_rest(self.flows, self.limit()).await?;
        }
        Ok(quantiles(&mut took))
    }

    async fn put(&mut self, count: u64) -> Result {
        put_items(self.flows, self.put..self.put + count).await?;
        self.put += count;
        Ok(())
    }

    /// Waits until so many items have come. False: it took too long.
    async fn reach(&mut self, items: u64) -> bool {
        let wanted = items * copies(self.plan);
        let limit = self.limit();
        let came = self.arrived.wait_for(|count| *count >= wanted);
        tokio::time::timeout(limit, came).await.is_ok()
    }
}

/// How often each item comes to the end.
fn copies(plan: FlowPlan) -> u64 {
    if plan.shape == FlowShape::Fan { u64::from(plan.components) } else { 1 }
}

/// Half of them, and 99 of 100, were not slower, in ms.
fn quantiles(took: &mut [Duration]) -> (Option<f64>, Option<f64>) {
    took.sort_unstable();
    let quantile = |share: usize| {
        let place = (took.len() * share).div_ceil(100).checked_sub(1)?;
        Some((took.get(place)?.as_secs_f64() * 100_000.0).round() / 100.0)
    };
    (quantile(50), quantile(99))
}

/// Waits until no body has an item.
async fn at_rest(flows: &Flows, limit: Duration) -> Result {
    let begun = Instant::now();
    loop {
        let view = flows.view(FLOW.0, FLOW.1).await.map_err(failed)?;
        let is_idle = view.components.iter().all(|it| it.why.active == 0);
        let is_at_rest = is_idle && view.connections.iter().all(|it| it.in_flight == 0);
        if is_at_rest || begun.elapsed() > limit {
            return Ok(());
        }
        pause(1).await;
    }
}

/// Counts what is in the tables, beside what came to the end: how many items were lost, and how many came more than once.
async fn settle(store: &dyn Store, flows: &Flows, plan: FlowPlan, seen: &Seen, put: u64) -> Result<(u64, u64)> {
    at_rest(flows, Duration::from_secs(10)).await?;
    let Some(row) = store.flow_store().flow(FLOW.0, FLOW.1).await? else { return Ok((put, 0)) };
    let waits = matches!(plan.shape, FlowShape::Queue | FlowShape::Penalised);
    let waiting = if waits { u64::from(plan.items) } else { 0 };
    let mut tally = Tally::new(seen, put, WAITING..WAITING + waiting, copies(plan));
    let mut after = 0;
    loop {
        let page = store.flow_store().items(row.id, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(tally.outcome()) };
        after = last.id;
        page.iter().for_each(|item| tally.is_kept(item.priority.as_deref()));
    }
}

/// Puts items of these numbers, and waits where a queue is full.
async fn put_items(flows: &Flows, numbers: Range<u64>) -> Result {
    use mainspring_core::flow::Refused;

    let item = |number: u64| Content {
        attributes: [(NUMBER.to_owned(), number.to_string())].into(),
        payload: b"item".to_vec(),
    };
    let items: Vec<Content> = numbers.map(item).collect();
    loop {
        match flows.put_items(FLOW.0, FLOW.1, "in", items.clone()).await {
            Ok(_) => return Ok(()),
            Err(FlowError::Refused { refused: Refused::Full, .. }) => pause(1).await,
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
        let batch = if plan.shape == FlowShape::Queue { 1 } else { 1_000 };
        let trigger = Trigger::Event;
        let named = timer(format!("{END}{number}"));
        let component = Component { ended, relationships, batch, trigger, penalty_ms: PENALTY_MS, ..named };
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
        FlowShape::Queue | FlowShape::Penalised => {
            let unlimited = Connection { max_items: 0, max_bytes: 0, ..Connection::new(0, 1) };
            (vec![input, end(1)], vec![Connection { prioritizers: vec![Prioritizer::Priority], ..unlimited }])
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
