//! The list of jobs: filtered, searched, sorted.

use std::cmp::Ordering;

use axum::Json;
use axum::extract::State;
use mainspring_api::{self as api, ErrorCode, JobFilter, Page, did_you_mean, routes};
use mainspring_core::JobId;
use mainspring_core::job::JobKey;
use mainspring_schedule::{Lang, Timestamp};
use mainspring_store::JobDigest;
use rustc_hash::FxHashMap;
use utoipa_axum::routes;

use super::{Route, named_namespace, namespaces};
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::pages;
use crate::pauses::{self, Paused};
use crate::query::jobs::{FIELDS, Found, walk};
use crate::query::{Query, parse};
use crate::refusal::{Answer, Refusal};
use crate::show::{self, JobView};
use crate::words::Reads;

/// Jobs that are sorted by something else than their names.
const SORTED_MAX: usize = 2_000;
/// Runs that each job lists.
const RECENT_MAX: u32 = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(list))]
}

/// Lists jobs of a namespace, or with `-` of all: by name, or as `sort` says.
#[utoipa::path(get, path = routes::JOBS, tag = "jobs", params(("namespace" = String, Path), JobFilter), responses((status = 200, body = Page<api::Job>)))]
async fn list(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    QueryOf(filter): QueryOf<JobFilter>,
    Reads(language): Reads,
) -> Answer<Json<Page<api::Job>>> {
    let limit = pages::limit(filter.limit)?;
    let recent = recent(filter.recent)?;
    let query = query(&filter)?;
    let order = Order::of(filter.sort.as_deref())?;
    let after =
        pages::names::<2>("jobs", filter.cursor.as_deref())?.map(|[namespace, name]| JobKey::new(namespace, name));
    let within = named_namespace(&namespace);
    let (found, rest) = match order {
        Order::Name => {
            let walked = walk(&app, within, &query, after, limit).await?;
            (walked.found, walked.rest)
        }
        order => sorted(&app, within, &query, order, after, limit).await?,
    };
    if found.is_empty() && filter.cursor.is_none() && within.is_some() {
        namespaces::must_exist(&app, &namespace).await?;
    }
    let items = show_all(&app, found, recent, language).await?;
    let next_cursor = rest.map(|key| pages::cursor("jobs", &[&key.namespace, &key.name]));
    Ok(Json(Page { items, next_cursor }))
}

fn recent(asked: Option<u32>) -> Answer<u32> {
    match asked.unwrap_or(0) {
        recent @ ..=RECENT_MAX => Ok(recent),
        other => {
            let detail = format!("query parameter \"recent\" takes 0 to {RECENT_MAX}, not {other}");
            Err(Refusal::new(ErrorCode::RequestQuery, detail))
        }
    }
}

/// The query, with what the other parameters add.
fn query(filter: &JobFilter) -> Answer<Query> {
    let mut query = parse(filter.q.as_deref().unwrap_or_default(), FIELDS)?;
    if let Some(name) = &filter.name {
        query.and("name", name);
    }
    if let Some(label) = &filter.label {
        query.and("label", label);
    }
    if let Some(owner) = &filter.owner {
        query.and("owner", owner);
    }
    if let Some(paused) = filter.paused {
        query.and("state", if paused { "paused" } else { "enabled" });
    }
    Ok(query)
}

/// In which order jobs are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Name,
    By { what: &'static str, reverse: bool },
}

impl Order {
    const WORDS: [&'static str; 4] = ["name", "next", "last", "updated"];

    fn of(asked: Option<&str>) -> Answer<Self> {
        let Some(text) = asked else { return Ok(Self::Name) };
        let word = text.strip_prefix('-').unwrap_or(text);
        let reverse = word.len() < text.len();
        match Self::WORDS.into_iter().find(|known| *known == word) {
            Some("name") if !reverse => Ok(Self::Name),
            Some(what) => Ok(Self::By { what, reverse }),
            None => {
                let detail = format!("query parameter \"sort\" takes {}", Self::WORDS.join(", "));
                let refusal = Refusal::new(ErrorCode::RequestQuery, detail);
                Err(match did_you_mean(word, Self::WORDS) {
                    Some(hint) => refusal.hint(hint),
                    None => refusal,
                })
            }
        }
    }

    fn compare(self, a: &Found, b: &Found) -> Ordering {
        let names = a.row.definition.key.cmp(&b.row.definition.key);
        let Self::By { what, reverse } = self else { return names };
        let order = match what {
            "next" => absent_last(next(a), next(b), reverse),
            "last" => absent_last(last(a), last(b), reverse),
            "updated" => absent_last(Some(a.row.updated_at), Some(b.row.updated_at), reverse),
            _ if reverse => names.reverse(),
            _ => names,
        };
        order.then(names)
    }
}

/// Whatever the direction, what is not there comes last.
fn absent_last(a: Option<Timestamp>, b: Option<Timestamp>, reverse: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if reverse => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn next(found: &Found) -> Option<Timestamp> {
    found.digest.as_ref()?.next_fire_at
}

fn last(found: &Found) -> Option<Timestamp> {
    let newest = found.digest.as_ref()?.recent.first()?;
    newest.started_at.or(newest.ended_at).or(Some(newest.fire_time))
}

/// Finds all, sorts them, and leaves out those up to `after`.
async fn sorted(
    app: &App,
    namespace: Option<&str>,
    query: &Query,
    order: Order,
    after: Option<JobKey>,
    limit: usize,
) -> Answer<(Vec<Found>, Option<JobKey>)> {
    let mut walked = walk(app, namespace, query, None, SORTED_MAX).await?;
    if walked.rest.is_some() {
        let detail = format!("more than {SORTED_MAX} jobs would have to be sorted, or found for too long");
        return Err(Refusal::new(ErrorCode::RequestQuery, detail).hint("search for fewer, or sort by name"));
    }
    let missing: Vec<JobId> =
        walked.found.iter().filter(|found| found.digest.is_none()).map(|found| found.row.id).collect();
    let mut digests = digests(app, missing, 1).await?;
    for found in &mut walked.found {
        found.digest = found.digest.take().or_else(|| digests.remove(&found.row.id));
    }
    let mut all = walked.found;
    all.sort_by(|a, b| order.compare(a, b));
    let from = match after {
        None => 0,
        // A job that is gone since has left no place; the page begins again where the next call says.
        Some(key) => all.iter().position(|found| found.row.definition.key == key).map_or(0, |at| at + 1),
    };
    let mut rest = all.split_off(from.min(all.len()));
    let more = rest.len() > limit;
    rest.truncate(limit);
    let next = rest.last().filter(|_| more).map(|last| last.row.definition.key.clone());
    Ok((rest, next))
}

async fn digests(app: &App, jobs: Vec<JobId>, recent: u32) -> Answer<FxHashMap<JobId, JobDigest>> {
    let found = app.control().store().job_digests(jobs, recent).await?;
    Ok(found.into_iter().map(|digest| (digest.job, digest)).collect())
}

/// Shows jobs, each with its newest runs.
async fn show_all(app: &App, found: Vec<Found>, recent: u32, language: Lang) -> Answer<Vec<api::Job>> {
    let mut digests = digests(app, found.iter().map(|found| found.row.id).collect(), recent.max(1)).await?;
    let paused = found.iter().map(|found| found.row.paused.then_some(Paused::Job(found.row.id)));
    let pauses = pauses::find_all(app, paused.collect::<Vec<_>>()).await?;
    let show = |(found, pause): (Found, _)| {
        let view = digests.remove(&found.row.id).map(|digest| JobView::of(&digest, recent)).unwrap_or_default();
        show::job(&found.row, JobView { pause, ..view }, language)
    };
    Ok(found.into_iter().zip(pauses).map(show).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_words_with_or_without_a_minus() {
        assert_eq!(Order::of(None).unwrap(), Order::Name);
        assert_eq!(Order::of(Some("-next")).unwrap(), Order::By { what: "next", reverse: true });
        assert_eq!(Order::of(Some("-name")).unwrap(), Order::By { what: "name", reverse: true });
        let refusal = Order::of(Some("nxt")).unwrap_err();
        assert_eq!(
            (refusal.code(), refusal.0.hint.as_deref()),
            (Some(ErrorCode::RequestQuery), Some("did you mean \"next\"?"))
        );
    }

    #[test]
    fn what_is_not_there_comes_last_both_ways() {
        let (one, two) = (Some(Timestamp::from_millis(1)), Some(Timestamp::from_millis(2)));
        assert_eq!((absent_last(one, two, false), absent_last(one, two, true)), (Ordering::Less, Ordering::Greater));
        assert_eq!((absent_last(one, None, false), absent_last(one, None, true)), (Ordering::Less, Ordering::Less));
        assert_eq!(absent_last(None, None, true), Ordering::Equal);
    }
}
