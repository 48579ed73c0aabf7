//! The messages that webhooks get.

use mainspring_api::{Event, Timestamp};
use mainspring_store::{NewDelivery, Result};
use serde_json::{Map, Value, json};

use crate::app::{App, Inner};
use crate::show::Runs;

/// The longest body, in bytes. A run is told of without its input and output where it would be longer.
const BODY_MAX: usize = 128 * 1024;
/// The type of a message that somebody asks for to see whether it arrives.
const TEST: &str = "webhook.test";

/// The message that tells of an event.
///
/// # Errors
/// The store could not say what the event is about.
pub(super) async fn of_event(app: &Inner, event: Event) -> Result<NewDelivery> {
    // Whoever numbers events gives each number once; with the time also where a failover or a backup has set the numbers back.
    let message = format!("evt_{}_{:x}", event.id.replace('.', "_"), event.at.as_millis());
    let mut data = Map::new();
    for (name, value) in [("namespace", event.namespace), ("job", event.job), ("trigger", event.trigger)] {
        data.extend(value.map(|value| (name.to_owned(), Value::String(value))));
    }
    if let Some(run) = event.run {
        let shown = run_of(app, &run).await?.unwrap_or_else(|| json!({ "id": run }));
        data.insert("run".to_owned(), shown);
    }
    if let Value::Object(more) = event.data {
        data.extend(more);
    }
    let mut text = body(&message, &event.kind, event.at, &data);
    if text.len() > BODY_MAX
        && let Some(Value::Object(run)) = data.get_mut("run")
    {
        run.retain(|name, _| !matches!(name.as_str(), "input" | "output"));
        data.insert("truncated".to_owned(), true.into());
        text = body(&message, &event.kind, event.at, &data);
    }
    Ok(NewDelivery { message, kind: event.kind, body: text })
}

/// A message that tells of nothing.
pub(crate) fn test_message(app: &App, webhook: &str) -> NewDelivery {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    let message = format!("test_{}", crate::access::to_hex(&bytes));
    let data = Map::from_iter([("webhook".to_owned(), Value::String(webhook.to_owned()))]);
    let text = body(&message, TEST, crate::show::instant(app.now()), &data);
    NewDelivery { message, kind: TEST.to_owned(), body: text }
}

fn body(message: &str, kind: &str, at: Timestamp, data: &Map<String, Value>) -> String {
    json!({ "id": message, "type": kind, "timestamp": at, "data": data }).to_string()
}

/// A run as the API shows it, if it is there.
async fn run_of(app: &Inner, run: &str) -> Result<Option<Value>> {
    let store = app.control().store();
    let Ok(id) = run.parse() else { return Ok(None) };
    let Some(info) = store.run(id).await? else { return Ok(None) };
    match Runs::new(app.control()).show(info).await {
        Ok(shown) => Ok(serde_json::to_value(shown).ok()),
        // Its definition may be gone; if it is the store that is, this says so.
        Err(_) => store.run(id).await.map(|_| None),
    }
}
