//! What comes of a task that may run: its condition and its list, with what those that it needs have left. Reads, and never in a
//! transaction.

use std::collections::BTreeMap;

use mainspring_core::output::OutputRef;
use mainspring_core::workflow::expression::{condition, evaluate, render};
use mainspring_core::workflow::{Hold, ITEMS_MAX, Need, References, Spread, TaskContext, outputs_text};
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{Result, Store};
use serde_json::{Map, Value};

use super::elsewhere;
use super::live::{Answer, List, Live};

/// Says what comes of a task that may run. With `again`, it is under way and its condition was asked before.
///
/// # Errors
/// The store could not read what others have left.
pub(super) async fn ask(store: &dyn Store, live: &Live, task: u32, again: bool, now: Timestamp) -> Result<Answer> {
    let definition = live.plan.task(task);
    let context = match context(store, live, task).await? {
        Ok(context) => Box::new(context),
        Err(why) => return Ok(Answer::Fail(why)),
    };
    let values =
        if definition.condition.is_some() || definition.spread.is_some() { context.values() } else { Value::Null };
    if let Some(text) = definition.condition.as_ref().filter(|_| !again) {
        match condition(text, &values) {
            Ok(true) => {}
            Ok(false) => return Ok(Answer::Skip(format!("its condition is false: {text}"))),
            Err(error) => return Ok(Answer::Fail(format!("{CODE}: if: {error}"))),
        }
    }
    let list = match &definition.spread {
        None => {
            return Ok(match &definition.hold {
                None if definition.call.is_some() => Answer::Call(context),
                None => Answer::Once(context),
                Some(Hold::Elsewhere(need)) => elsewhere::wait(need, live, context, now),
                Some(hold) => wait(hold, context, now),
            });
        }
        Some(Spread::Matrix(lists)) => {
            let count = Spread::Matrix(lists.clone()).count().filter(|count| *count <= ITEMS_MAX);
            match count.and_then(|count| u32::try_from(count).ok()) {
                Some(count) => List::Matrix(count),
                None => return Ok(Answer::Fail(format!("the matrix makes more than {ITEMS_MAX} runs"))),
            }
        }
        Some(Spread::Map(text)) => match evaluate(text, &values) {
            Ok(Value::Array(items)) if items.len() <= ITEMS_MAX => List::Map(items),
            Ok(Value::Array(items)) => {
                return Ok(Answer::Fail(format!(
                    "the list of map has {} items, and {ITEMS_MAX} are allowed",
                    items.len()
                )));
            }
            Ok(other) => return Ok(Answer::Fail(format!("{CODE}: map: its value is {}, no list", kind(&other)))),
            Err(error) => return Ok(Answer::Fail(format!("{CODE}: map: {error}"))),
        },
    };
    Ok(match too_large(&context, &list) {
        Some(why) => Answer::Fail(why),
        None => Answer::Many(context, list),
    })
}

/// Bytes of what all runs of a task that runs more than once are given together.
const GIVEN_MAX: usize = 256 << 20;
/// Bytes of what the runs of such a task may have left, where expressions see them as lists.
const LEFT_MAX: usize = 4 << 20;

/// Why a task cannot run for each item of a list: each of its runs is given all that its texts may ask for.
fn too_large(context: &TaskContext, list: &List) -> Option<String> {
    let count = match list {
        List::Matrix(count) => *count as usize,
        List::Map(items) => items.len(),
    };
    let each = context.to_input().len();
    (each.saturating_mul(count) > GIVEN_MAX).then(|| {
        format!("{count} runs that are each given {each} bytes are more than {GIVEN_MAX} bytes: give them less, or leave large values in a file")
    })
}

/// What a task waits for, from now on.
fn wait(hold: &Hold, context: Box<TaskContext>, now: Timestamp) -> Answer {
    match hold {
        Hold::For(ms) => Answer::Hold(context, Some(now + *ms), None),
        Hold::At(time) => match time.next(now) {
            Ok(until) => Answer::Hold(context, Some(until), None),
            Err(why) => Answer::Fail(format!("wait: {why}")),
        },
        Hold::Until(text) => match render(text, &context.values()) {
            Ok(text) => match text.trim().parse() {
                Ok(until) => Answer::Hold(context, Some(until), None),
                Err(_) => Answer::Fail(format!("{CODE}: wait: {text:?} is no instant such as 2026-05-04T03:00:00Z")),
            },
            Err(error) => Answer::Fail(format!("{CODE}: wait: {error}")),
        },
        Hold::Elsewhere(_) => unreachable!("it is asked for before"),
        Hold::Approval(approval) => match render(&approval.prompt, &context.values()) {
            Ok(prompt) => Answer::Hold(context, approval.timeout_ms.map(|ms| now + ms), Some(prompt)),
            Err(error) => Answer::Fail(format!("{CODE}: approval: {error}")),
        },
    }
}

/// The code of what cannot be evaluated.
pub(crate) const CODE: &str = "workflow.expression";

/// What a task is given; or why that cannot be read.
async fn context(store: &dyn Store, live: &Live, task: u32) -> Result<std::result::Result<TaskContext, String>> {
    let definition = live.plan.task(task);
    let references = live.plan.references(task);
    let needs = match needs(store, live, references, definition.needs.iter().copied()).await? {
        Ok(needs) => needs,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok(given(live, definition.name.clone(), references, needs)))
}

fn given(live: &Live, task: String, references: &References, needs: BTreeMap<String, Need>) -> TaskContext {
    let given = live.input.as_deref();
    TaskContext {
        task,
        item: None,
        run: live.facts.clone(),
        params: if references.params { live.plan.job().merged_input(given) } else { Value::Null },
        given: given.and_then(|given| serde_json::from_str(given).ok()).unwrap_or_default(),
        needs,
    }
}

/// How tasks ended, as far as somebody asks for it.
async fn needs(
    store: &dyn Store,
    live: &Live,
    references: &References,
    tasks: impl Iterator<Item = u32>,
) -> Result<std::result::Result<BTreeMap<String, Need>, String>> {
    let mut needs = BTreeMap::new();
    for need in tasks {
        let name = &live.plan.task(need).name;
        if !references.ask_state(name) {
            continue;
        }
        let outputs = if references.ask_outputs(name) { outputs(store, live, need).await? } else { Ok(Map::new()) };
        match outputs {
            Ok(outputs) => _ = needs.insert(name.clone(), Need { state: live.state(need), outputs }),
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(needs))
}

/// What a run leaves, as JSON; or why that cannot be read.
///
/// # Errors
/// The store could not read what its tasks have left.
pub(super) async fn left(store: &dyn Store, live: &Live) -> Result<std::result::Result<String, String>> {
    let (outputs, references) = live.plan.outputs();
    let needs = match needs(store, live, references, 0..live.plan.tasks()).await? {
        Ok(needs) => needs,
        Err(why) => return Ok(Err(why)),
    };
    Ok(outputs_text(outputs, &given(live, String::new(), references, needs)).map_err(|why| format!("{CODE}: {why}")))
}

/// What a task has left, by name.
async fn outputs(store: &dyn Store, live: &Live, task: u32) -> Result<std::result::Result<Map<String, Value>, String>> {
    let definition = live.plan.task(task);
    let (mut left, mut total) = (Vec::new(), 0);
    for run in live.runs_of(task) {
        match output(store, run).await? {
            Ok((output, bytes)) => {
                total += bytes;
                if total > LEFT_MAX && definition.spread.is_some() {
                    let name = &definition.name;
                    return Ok(Err(format!("{CODE}: the outputs of {name} have more than {LEFT_MAX} bytes together")));
                }
                left.push(output);
            }
            Err(why) => return Ok(Err(format!("{CODE}: the output of {} {why}", definition.name))),
        }
    }
    let declared = |name: &str| definition.outputs.is_empty() || definition.outputs.iter().any(|output| output == name);
    if definition.spread.is_none() {
        let mut all = left.pop().unwrap_or_default();
        all.retain(|name, _| declared(name));
        return Ok(Ok(all));
    }
    let mut all = Map::new();
    for name in left.iter().flat_map(Map::keys).filter(|name| declared(name)).cloned().collect::<Vec<_>>() {
        if !all.contains_key(&name) {
            let of_each = left.iter().map(|output| output.get(&name).cloned().unwrap_or_default()).collect();
            all.insert(name, Value::Array(of_each));
        }
    }
    Ok(Ok(all))
}

/// What a run has left, with its bytes; or why that cannot be read.
async fn output(store: &dyn Store, run: RunId) -> Result<std::result::Result<(Map<String, Value>, usize), String>> {
    // A run that repeats another one keeps what that has left for as long as that is there.
    let Some(info) = store.run(run).await? else { return Ok(Err("is gone: retention has deleted its run".to_owned())) };
    let Some(text) = info.output else { return Ok(Ok((Map::new(), 0))) };
    if let Some(apart) = OutputRef::from_text(&text) {
        let most = mainspring_core::output::INLINE_MAX;
        return Ok(Err(format!("has {} bytes, and expressions see {most}", apart.bytes)));
    }
    let members = match serde_json::from_str(&text) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    Ok(Ok((members, text.len())))
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
