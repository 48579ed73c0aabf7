//! What can be written at a place in a query, for completion.

use std::collections::BTreeMap;

use mainspring_api::{ErrorCode, FacetValue, Facets, did_you_mean};
use mainspring_core::job::Job;

use super::{Field, Kind, Query, jobs, runs};
use crate::app::App;
use crate::refusal::{Answer, Refusal};

/// Values of an answer.
const VALUES_MAX: usize = 50;
/// Jobs that are looked at: more would take too long for somebody who types.
const JOBS_MAX: usize = 20_000;

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
    let Some(found) = fields.iter().find(|known| known.name == field) else {
        let refusal = Refusal::new(ErrorCode::RequestQuery, format!("\"{}\" is no field", field.escape_debug()));
        return Err(match did_you_mean(field, fields.iter().map(|field| field.name)) {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        });
    };
    match found.kind {
        Kind::Word(words) => Ok(listed(words.iter().map(|word| ((*word).to_owned(), None)), &prefix, true)),
        Kind::Text if found.name == "worker" => {
            let names = app.control().store().workers().await?.into_iter().map(|worker| (worker.info.name, None));
            Ok(listed(names, &prefix, true))
        }
        Kind::Text => of_jobs(app, namespace, found.name, &prefix).await,
        Kind::Instant | Kind::Duration | Kind::Number => Ok(Facets { values: Vec::new(), complete: true }),
    }
}

/// Counts the values that jobs have.
async fn of_jobs(app: &App, namespace: Option<&str>, field: &str, prefix: &str) -> Answer<Facets> {
    let walked = jobs::walk(app, namespace, &Query::default(), None, JOBS_MAX).await?;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for found in &walked.found {
        for value in values(field, &found.row.definition) {
            *counts.entry(value).or_default() += 1;
        }
    }
    let counted = counts.into_iter().map(|(value, count)| (value, Some(count)));
    Ok(listed(counted, prefix, walked.rest.is_none()))
}

fn values(field: &str, job: &Job) -> Vec<String> {
    let mut values: Vec<String> = match field {
        "name" | "job" => vec![job.key.name.clone()],
        "namespace" => vec![job.key.namespace.clone()],
        "queue" => vec![job.queue.clone()],
        "owner" => Some(&job.owner).filter(|owner| !owner.is_empty()).into_iter().cloned().collect(),
        "handler" => jobs::handlers(job).map(str::to_owned).collect(),
        "zone" => job.triggers.iter().map(|trigger| trigger.timezone.clone()).collect(),
        "calendar" => job.triggers.iter().filter_map(|trigger| trigger.calendar.clone()).collect(),
        "trigger" => job.triggers.iter().map(|trigger| trigger.name.clone()).collect(),
        "label" => job.labels.iter().flat_map(|(name, value)| [name.clone(), format!("{name}={value}")]).collect(),
        _ => Vec::new(),
    };
    values.sort_unstable();
    values.dedup();
    values
}

/// Those that begin with the prefix; the most frequent first, else in their order.
fn listed(values: impl Iterator<Item = (String, Option<u64>)>, prefix: &str, complete: bool) -> Facets {
    let fits = values.filter(|(value, _)| value.to_lowercase().starts_with(prefix));
    let mut values: Vec<FacetValue> = fits.map(|(value, count)| FacetValue { value, count }).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    let complete = complete && values.len() <= VALUES_MAX;
    values.truncate(VALUES_MAX);
    Facets { values, complete }
}
