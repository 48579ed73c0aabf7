//! Nodes and shards, as the node that answers sees them.

use mainspring_api as api;
use mainspring_core::Incarnation;
use mainspring_core::cluster::{NodeStatus, Shard, Standing, Status};
use mainspring_engine::Lateness;

use super::instant;
use crate::app::Inner;
use crate::shards::Move;

/// Every node by name, with what this one knows of itself alone. It is there also before it has joined.
pub(crate) fn nodes(app: &Inner) -> Vec<api::Node> {
    let me = app.engine.incarnation().to_string();
    let status = app.engine.cluster_status();
    let mut nodes: Vec<_> = status.iter().flat_map(|status| &status.nodes).map(member).collect();
    if !nodes.iter().any(|node| node.id == me) {
        nodes.push(myself(app, &me));
    }
    for node in nodes.iter_mut().filter(|node| node.id == me) {
        complete(app, status.as_deref(), node);
    }
    nodes.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    nodes
}

/// Every shard with its owner. A process with a store of its own has them all.
pub(crate) fn shards(app: &Inner, nodes: &[api::Node]) -> Vec<api::Shard> {
    let status = app.engine.cluster_status();
    let alone = app.control().store().cluster().is_none().then(|| app.engine.incarnation().to_string());
    let shard = |shard: Shard| {
        let lease = status.as_ref().and_then(|status| status.shards.get(&shard));
        let owner = lease.map(|lease| lease.owner.to_string()).or_else(|| alone.clone());
        let node = nodes.iter().find(|node| Some(&node.id) == owner.as_ref());
        api::Shard {
            number: u32::from(shard.0),
            node: node.map(|node| node.name.clone()),
            owner,
            epoch: lease.map(|lease| lease.epoch),
        }
    };
    Shard::all().map(shard).collect()
}

/// Who has which shard, and since when.
pub(crate) fn shard_owners(app: &Inner) -> Vec<api::ShardOwner> {
    let alone = app.control().store().cluster().is_none().then_some(app.started_at);
    let owner = |shard: api::Shard| {
        let number = u8::try_from(shard.number).unwrap_or(u8::MAX);
        let since = alone.or_else(|| app.shard_moves.since(Shard(number)));
        api::ShardOwner { shard: shard.number, node: shard.node, epoch: shard.epoch, since: since.map(instant) }
    };
    shards(app, &nodes(app)).into_iter().map(owner).collect()
}

/// The last moves of shards, the newest first.
pub(crate) fn shard_moves(app: &Inner) -> Vec<api::ShardMove> {
    let shown = |one: Move| api::ShardMove {
        at: instant(one.at),
        from: one.from.map(|name| name.to_string()),
        to: one.to.to_string(),
        shards: one.shards.into_iter().map(|shard| u32::from(shard.0)).collect(),
        unowned_ms: one.unowned_ms.unsigned_abs(),
    };
    app.shard_moves.last().into_iter().map(shown).collect()
}

/// How late handlers were entered: what this node has counted, and what the others have kept.
pub(crate) async fn lateness(app: &Inner) -> Result<api::ClusterLateness, mainspring_store::Error> {
    let mut sum = Lateness::default();
    let mut counted = Vec::new();
    for node in nodes(app) {
        let (at, lateness) = match u128::from_str_radix(&node.id, 16) {
            Ok(incarnation) if !node.answering => {
                let kept = app.engine.lateness_of(&node.name, Incarnation(incarnation)).await?;
                kept.map_or_else(|| (None, Lateness::default()), |(at, lateness)| (Some(at), lateness))
            }
            _ => (Some(app.now()), app.engine.lateness()),
        };
        sum.add(&lateness);
        let (at, lateness) = (at.map(instant), figures(&lateness));
        counted.push(api::NodeLateness { node: node.id, name: node.name, at, lateness });
    }
    Ok(api::ClusterLateness { minutes: Lateness::MINUTES, cluster: figures(&sum), nodes: counted })
}

/// Shows counts of lateness as figures.
pub(crate) fn figures(lateness: &Lateness) -> api::Lateness {
    api::Lateness {
        entered: lateness.count(),
        p50_ms: lateness.quantile(50, 100),
        p99_ms: lateness.quantile(99, 100),
        max_ms: lateness.max(),
        spread: lateness.spread().into_iter().map(|(below_ms, count)| api::LatenessPart { below_ms, count }).collect(),
    }
}

fn member(status: &NodeStatus) -> api::Node {
    let row = &status.row;
    let state = match row.standing {
        Standing::Eligible => api::NodeState::Active,
        Standing::Draining => api::NodeState::Draining,
        Standing::ClockOff => api::NodeState::ClockOff,
        Standing::Far => api::NodeState::Far,
    };
    api::Node {
        address: (!row.address.is_empty()).then(|| row.address.clone()),
        version: row.version.clone(),
        drain_asked: row.drain_asked,
        silent_ms: status.silent_ms,
        clock_offset_ms: row.clock_offset_ms,
        answer_ms: row.answer_ms,
        ..node(row.incarnation.to_string(), row.name.clone(), state, status.shards)
    }
}

/// The node that answers, as far as it needs no other to know.
fn myself(app: &Inner, id: &str) -> api::Node {
    let alone = app.control().store().cluster().is_none();
    let (state, shards) = if alone { (api::NodeState::Active, Shard::COUNT) } else { (api::NodeState::Joining, 0) };
    node(id.to_owned(), app.node_name.clone(), state, shards)
}

fn node(id: String, name: String, state: api::NodeState, shards: usize) -> api::Node {
    api::Node {
        id,
        name,
        address: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state,
        drain_asked: false,
        answering: false,
        shards: u32::try_from(shards).unwrap_or(u32::MAX),
        silent_ms: 0,
        clock_offset_ms: None,
        answer_ms: None,
        claim_us: None,
        started_at: None,
        renewed_at: None,
        slots: None,
        slots_used: None,
        tzdata: None,
    }
}

fn complete(app: &Inner, status: Option<&Status>, node: &mut api::Node) {
    let used = app.engine.metrics().busy_slots();
    node.answering = true;
    // It knows this before it has told the others.
    if app.engine.is_draining() || status.is_some_and(|status| status.standing == Standing::Draining) {
        node.state = api::NodeState::Draining;
    }
    node.started_at = Some(instant(app.started_at));
    node.renewed_at = app.engine.ticked_at().map(instant);
    node.claim_us = app.engine.metrics().claims.median_us();
    node.slots = Some(app.slots);
    node.slots_used = Some(u32::try_from(used).unwrap_or(0));
    node.tzdata = Some(mainspring_schedule::tzdata_version().to_owned());
}
