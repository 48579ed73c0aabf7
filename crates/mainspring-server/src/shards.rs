//! Since when each shard has its owner, and which moves there were lately, as far as this node has seen them.

mod moves;

use std::sync::Arc;

use mainspring_core::Incarnation;
use mainspring_core::cluster::{Shard, Status};
use rustc_hash::FxHashMap;

use crate::app::App;
use crate::closing::closed;
use moves::Owner;
pub(crate) use moves::{Move, Moves};

/// Notes moves until the server closes.
pub(crate) async fn follow(app: App) {
    let (mut status, mut closing) = (app.engine.watch_cluster(), app.closing.clone());
    loop {
        let now = status.borrow_and_update().clone();
        if let Some(now) = now {
            app.shard_moves.note(owners(&now), app.now());
        }
        tokio::select! {
            changed = status.changed() => if changed.is_err() { return },
            () = closed(&mut closing) => return,
        }
    }
}

fn owners(status: &Status) -> FxHashMap<Shard, Owner> {
    let names: FxHashMap<Incarnation, Arc<str>> =
        status.nodes.iter().map(|node| (node.row.incarnation, node.row.name.as_str().into())).collect();
    // An owner whose row is gone is named by its incarnation for the moment until its shards are taken.
    let name = |id: Incarnation| names.get(&id).cloned().unwrap_or_else(|| id.to_string().into());
    let owner = |id, epoch| Owner { id, epoch, name: name(id) };
    status.shards.iter().map(|(shard, lease)| (*shard, owner(lease.owner, lease.epoch))).collect()
}
