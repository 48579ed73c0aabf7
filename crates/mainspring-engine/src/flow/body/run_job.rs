//! `run_job`: a run of a job for each item, whose output becomes the payload.

use mainspring_core::flow::Header;
use mainspring_core::flow::body::{Content, Done};
use mainspring_core::job::JobKey;
use mainspring_core::output::OutputRef;
use mainspring_core::run::{Origin, RunState};
use mainspring_store::{RunInfo, causes};
use mainspring_tasks::altered;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{Run, Told, failed, goes, goes_changed};
use crate::control::{Ask, Asking, Control};

/// Why a run ends whose component is terminated.
const TERMINATED: &str = "the component that started it was terminated";

impl Run {
    /// The run is named after the item, so that one that is delivered again waits for the run that was started before. One that went
    /// with its component is none to wait for: the next takes its place.
    pub(super) async fn run_job(&self, job: &str, contents: &mut [Content]) -> Done {
        let Some(control) = &self.tools.control else { return failed("this node starts no jobs".to_owned()) };
        let (Some(item), Some(header)) = (contents.first_mut(), self.start.items.first()) else {
            return failed("there is no item to start the job for".to_owned());
        };
        let namespace = self.flow.split_once('/').map_or("default", |(namespace, _)| namespace);
        let (namespace, name) = job.split_once('/').unwrap_or((namespace, job));
        let key = JobKey { namespace: namespace.into(), name: name.into() };
        let input = match input(item) {
            Ok(input) => input,
            Err(message) => return Done { lines: vec![message], ..goes("failure", 1) },
        };
        let mut number = 0;
        let run = loop {
            let ask = Ask {
                input: Some(input.clone()),
                priority: None,
                origin: Origin::Api,
                worker: None,
                asking: Some(self.asking(header, number)),
            };
            let run = match control.run_now(&key, ask).await {
                Ok(run) => run,
                Err(error) => return failed(format!("the job \"{job}\" could not be started: {}", causes(&error))),
            };
            let ended = tokio::select! {
                ended = control.wait(run.id) => ended,
                () = self.given_up() => {
                    // Where the flow only changes hands, the next owner waits for the run.
                    if *self.told.borrow() == Told::Terminated {
                        let _ = control.cancel(run.id, TERMINATED).await;
                    }
                    return failed("the run was given up".to_owned());
                }
            };
            match ended {
                Ok(run) if run.state == RunState::Cancelled && run.reason.as_deref() == Some(TERMINATED) => number += 1,
                Ok(run) => break run,
                Err(error) => return failed(format!("the run of \"{job}\" was lost sight of: {}", causes(&error))),
            }
        };
        item.attributes.insert("run.id".to_owned(), run.id.to_string());
        item.attributes.insert("run.state".to_owned(), run.state.as_str().to_owned());
        if run.state != RunState::Succeeded {
            let why = run.error.clone().unwrap_or_else(|| format!("the run is {}", run.state.as_str()));
            item.attributes.insert("run.error".to_owned(), why.clone());
            let line = format!("the run {} of \"{job}\": {why}", run.id);
            return Done { lines: vec![line], ..goes_changed("failure", item) };
        }
        match output(control, &run).await {
            Ok(Some(output)) => item.payload = output,
            Ok(None) => {}
            Err(message) => return Done { lines: vec![message], ..goes("failure", 1) },
        }
        goes_changed("success", item)
    }

    /// Names the run of an item: the same again as long as the item stays where it is and is not tried again on purpose. The number
    /// tells it from those that were ended with their component.
    fn asking(&self, header: &Header, number: i64) -> Asking {
        let mut hash = Sha256::new();
        hash.update(self.component.as_bytes());
        for number in [self.flow_id, header.id.0, header.order, i64::from(header.retries), number] {
            hash.update(number.to_be_bytes());
        }
        let number = u64::from_be_bytes(hash.finalize()[..8].try_into().expect("a hash has more than 8 bytes"));
        Asking { at: header.entered_at, number }
    }
}

/// What a run is given: the payload where that is a JSON object, else attributes and payload. What reading would
/// change is refused.
fn input(item: &Content) -> Result<Value, String> {
    Ok(match serde_json::from_slice(&item.payload) {
        Ok(object @ Value::Object(_)) => match altered(&item.payload) {
            Some(found) => return Err(format!("{found}, in the payload; {}", found.hint())),
            None => object,
        },
        _ => {
            let mut members: Map<String, Value> =
                item.attributes.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
            members.insert("payload".to_owned(), String::from_utf8_lossy(&item.payload).into_owned().into());
            Value::Object(members)
        }
    })
}

/// What a run has left, whole.
async fn output(control: &Control, run: &RunInfo) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = &run.output else { return Ok(None) };
    let Some(apart) = OutputRef::from_text(text) else { return Ok(Some(text.clone().into_bytes())) };
    let mut whole = Vec::new();
    for part in 0..u32::try_from(apart.parts()).unwrap_or(u32::MAX) {
        let read = control.store().output(run.id, run.attempt, part).await;
        let read =
            read.map_err(|error| format!("the output of run {} could not be read: {}", run.id, causes(&error)))?;
        whole.extend(read.ok_or_else(|| format!("the output of run {} is not there any more", run.id))?);
    }
    Ok(Some(whole))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_given_the_payload_or_attributes_with_it() {
        let item = |payload: &str| Content {
            attributes: [("kind".to_owned(), "fruit".to_owned())].into(),
            payload: payload.into(),
        };
        assert_eq!(input(&item("{\"a\": 1}")), Ok(json!({"a": 1})));
        assert_eq!(input(&item("[1]")), Ok(json!({"kind": "fruit", "payload": "[1]"})));
        assert_eq!(input(&item("3 apples")), Ok(json!({"kind": "fruit", "payload": "3 apples"})));
        let long = "123456789012345678901234567890";
        assert_eq!(input(&item(long)), Ok(json!({"kind": "fruit", "payload": long})), "as text");
        assert!(input(&item(&format!("{{\"n\": {long}}}"))).unwrap_err().starts_with(long), "as a number");
        assert!(input(&item("{\"n\": 1, \"n\": 2}")).unwrap_err().contains("\"n\" is written twice"));
    }
}
