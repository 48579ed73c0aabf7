//! The order of executors: addresses that people have entered stand as they were typed in.

use mainspring_api::XxlAppChange;
use serde_json::json;

use super::{Executor, PATIENCE, ended, make_app, put, start};
use crate::kit::Running;

/// Waits until the workers of executors stand in this order, the first ones of all.
async fn stand(running: &Running, wanted: &[String]) {
    let stand = async || {
        let mut workers = running.engine.control().store().workers().await.unwrap();
        workers.sort_by_key(|worker| worker.info.place.unwrap_or(u32::MAX));
        let placed = workers.into_iter().filter(|worker| worker.info.place.is_some());
        placed.map(|worker| worker.info.name).collect::<Vec<_>>()
    };
    let stands = async {
        while stand().await != wanted {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, stands).await.unwrap_or_else(|_| panic!("{wanted:?}"));
}

#[tokio::test]
async fn addresses_that_were_entered_keep_the_order_in_which_they_were_typed() {
    let running = Running::start().await;
    let mut three = Vec::new();
    for _ in 0..3 {
        three.push(Executor::start(&running.url, "").await);
    }
    // Against the order of their text.
    three.sort_by_key(|executor| std::cmp::Reverse(executor.address()));
    let [late, middle, early] = &three[..] else { unreachable!("three were started") };
    let token = make_app(&running.client, vec![late.address(), middle.address()]).await;
    put(&running.client, json!({"name": "a", "routing": "first", "xxl": {"app": "mail", "handler": "h"}})).await;
    // One that registers comes after those that people have entered.
    early.register_with(&token, &early.address()).await;
    stand(&running, &[late.address(), middle.address()]).await;
    let first = async |executor: &Executor| {
        let run = start(&running.client, "a").await;
        let order = executor.next("/run").await;
        executor.call_back_as(&token, order.body["logId"].as_i64().unwrap(), 200, "").await;
        ended(&running.client, &run).await;
    };
    first(late).await;

    let change = XxlAppChange { addresses: Some(vec![middle.address(), late.address()]), ..XxlAppChange::default() };
    running.client.change_xxl_app("mail", &change).await.unwrap();
    stand(&running, &[middle.address(), late.address()]).await;
    first(middle).await;
    let change = XxlAppChange { addresses: Some(Vec::new()), ..XxlAppChange::default() };
    running.client.change_xxl_app("mail", &change).await.unwrap();
    stand(&running, &[]).await;
    running.stop().await;
}
