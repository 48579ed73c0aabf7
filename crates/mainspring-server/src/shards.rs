//! Since when each shard has its owner, as far as this node has seen it.

mod moves;

use mainspring_core::Incarnation;
use mainspring_core::cluster::{Shard, Status};
use rustc_hash::FxHashMap;

use crate::app::App;
use crate::closing::closed;
pub(crate) use moves::Moves;

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

fn owners(status: &Status) -> FxHashMap<Shard, (Incarnation, i64)> {
    status.shards.iter().map(|(shard, lease)| (*shard, (lease.owner, lease.epoch))).collect()
}
