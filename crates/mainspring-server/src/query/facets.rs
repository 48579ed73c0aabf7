//! What can be written at a place in a query, for completion.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, FacetValue, Facets, did_you_mean};
use mainspring_core::job::Job;

use super::{Field, Kind, Query, jobs, parse, runs};
use crate::app::App;
use crate::refusal::{Answer, Refusal};
use crate::show;

/// Values of an answer.
const VALUES_MAX: usize = 50;
/// Jobs that are looked at: more would take too long for somebody who types.
const JOBS_MAX: usize = 20_000;
/// Fields by which the jobs of a query can be counted.
const COUNTED: [&str; 9] = ["namespace", "owner", "state", "label", "queue", "task", "handler", "zone", "calendar"];

/// The fields of a list.
pub(crate) fn fields(page: &str) -> Answer<&'static [Field]> {
    match page {
        "jobs" => Ok(jobs::FIELDS),
        "runs" => Ok(runs::FIELDS),
        other => {
            let detail = format!("query parameter \"page\" takes jobs or runs, not \"{}\"", other.escape_debug());
            Err(Refusal::new(ErrorCode::RequestQuery, detail))
        }
    }
}

/// Says what begins with a prefix: fields, or the values of one.
pub(crate) async fn facets(
    app: &App,
    namespace: Option<&str>,
    page: &str,
    field: Option<&str>,
    prefix: &str,
) -> Answer<Facets> {
    let fields = fields(page)?;
    let prefix = prefix.to_lowercase();
    let Some(field) = field else {
        return Ok(listed(fields.iter().map(|field| (field.name.to_owned(), None)), &prefix, true));
    };
    let found = field_of(fields, field)?;
    match found.kind {
        Kind::Word(words) => Ok(listed(words.iter().map(|word| ((*word).to_owned(), None)), &prefix, true)),
        Kind::Text if found.name == "worker" => {
            let names = app.control().store().workers().await?.into_iter().map(|worker| (worker.info.name, None));
            Ok(listed(names, &prefix, true))
        }
        Kind::Text if found.name == "node" => {
            Ok(listed(show::nodes(app).into_iter().map(|node| (node.name, None)), &prefix, true))
        }
        Kind::Text => of_jobs(app, namespace, found.name, &prefix, &Query::default()).await,
        Kind::Instant | Kind::Duration | Kind::Number => Ok(listed(std::iter::empty(), "", true)),
    }
}

/// Counts the values of a field that jobs have which a query finds, for lists in groups.
pub(crate) async fn counted(
    app: &App,
    namespace: Option<&str>,
    page: &str,
    field: Option<&str>,
    prefix: &str,
    text: &str,
) -> Answer<Facets> {
    let (true, Some(field)) = (page == "jobs", field) else {
        let detail = "query parameter \"q\" counts the values of a field of jobs: it goes with page=jobs and field";
        return Err(Refusal::new(ErrorCode::RequestQuery, detail.to_owned()));
    };
    let found = field_of(jobs::FIELDS, field)?;
    if !COUNTED.contains(&found.name) {
        let detail = format!("the jobs of a query are counted by {}, not by {field}", COUNTED.join(", "));
        return Err(Refusal::new(ErrorCode::RequestQuery, detail));
    }
    of_jobs(app, namespace, found.name, &prefix.to_lowercase(), &parse(text, jobs::FIELDS)?).await
}

fn field_of<'a>(fields: &'a [Field], field: &str) -> Answer<&'a Field> {
    fields.iter().find(|known| known.name == field).ok_or_else(|| {
        let refusal = Refusal::new(ErrorCode::RequestQuery, format!("\"{}\" is no field", field.escape_debug()));
        match did_you_mean(field, fields.iter().map(|field| field.name)) {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })
}

/// Counts the values that begin with a prefix, of jobs that a query finds. Case makes no difference, as in queries: a value is shown
/// as the first job has it.
async fn of_jobs(app: &App, namespace: Option<&str>, field: &str, prefix: &str, query: &Query) -> Answer<Facets> {
    let by_state = field == "state";
    let walked = match by_state {
        true => jobs::walk_with(app, namespace, query, None, JOBS_MAX, true).await?,
        false => jobs::walk(app, namespace, query, None, JOBS_MAX).await?,
    };
    let mut counts: BTreeMap<String, (String, u64)> = BTreeMap::new();
    let mut without = 0;
    for found in &walked.found {
        let values = match by_state {
            true => vec![jobs::standing(found, app.now()).to_owned()],
            false => values(field, &found.row.definition),
        };
        let values = values.into_iter().map(|value| (value.to_lowercase(), value)).rev();
        // Of a job's values that differ in their case alone, the first one stays.
        let values: BTreeMap<_, _> = values.filter(|(key, _)| key.starts_with(prefix)).collect();
        without += u64::from(values.is_empty());
        for (key, value) in values {
            counts.entry(key).or_insert((value, 0)).1 += 1;
        }
    }
    let counted = counts.into_values().map(|(value, count)| (value, Some(count)));
    Ok(Facets { without: Some(without), ..listed(counted, "", walked.rest.is_none()) })
}

fn values(field: &str, job: &Job) -> Vec<String> {
    match field {
        "name" | "job" => vec![job.key.name.clone()],
        "namespace" => vec![job.key.namespace.clone()],
        "queue" => vec![job.queue.clone()],
        "task" => vec![job.task.kind().to_owned()],
        "owner" => Some(&job.owner).filter(|owner| !owner.is_empty()).into_iter().cloned().collect(),
        "handler" => jobs::handlers(job).map(str::to_owned).collect(),
        "zone" => job.triggers.iter().map(|trigger| trigger.timezone.clone()).collect(),
        "calendar" => job.triggers.iter().filter_map(|trigger| trigger.calendar.clone()).collect(),
        "trigger" => job.triggers.iter().map(|trigger| trigger.name.clone()).collect(),
        "label" => job.labels.iter().flat_map(|(name, value)| [name.clone(), format!("{name}={value}")]).collect(),
        _ => Vec::new(),
    }
}

/// Those that begin with the prefix; the most frequent first, else in their order.
fn listed(values: impl Iterator<Item = (String, Option<u64>)>, prefix: &str, complete: bool) -> Facets {
    let fits = values.filter(|(value, _)| value.to_lowercase().starts_with(prefix));
    let mut values: Vec<FacetValue> = fits.map(|(value, count)| FacetValue { value, count }).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    let complete = complete && values.len() <= VALUES_MAX;
    values.truncate(VALUES_MAX);
    Facets { values, complete, without: None }
}
