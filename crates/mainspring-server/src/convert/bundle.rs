//! Whole bundles: calendars in the order in which they stand on each other, then jobs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use mainspring_api::{Bundle, CalendarSpec, ErrorCode, Problem};
use mainspring_core::compile;
use mainspring_core::job::{CalendarDefinition, Job};
use mainspring_schedule::Calendar;

use crate::work;

use super::after::{self, Follower};
use super::calls::{self, Calling};
use super::{Known, Surroundings, calendar, job, problem, under, waits, with_checked};

/// A bundle as definitions.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// Calendars, each after the one that it stands on.
    pub calendars: Vec<NamedCalendar>,
    /// Jobs, in the order of the bundle.
    pub jobs: Vec<Arc<Job>>,
    /// What is allowed and probably not meant, with pointers that begin at the bundle.
    pub warnings: Vec<Problem>,
    /// Where the triggers of each job were written, if one of them comes after a job.
    pub(crate) places: Vec<Vec<String>>,
}

/// A calendar with its key.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCalendar {
    /// Its index in the bundle.
    pub index: usize,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// The definition.
    pub definition: CalendarDefinition,
}

type Key = (String, String);

/// Reads and compiles a bundle: names, shapes, texts, calendars with their bases, and that every trigger fires.
///
/// # Errors
/// Everything that is wrong, with pointers that begin at the bundle.
pub fn bundle(bundle: &Bundle, around: &Surroundings<'_>) -> Result<Compiled, Vec<Problem>> {
    let mut problems = Vec::new();
    let namespace = bundle.namespace.as_deref().unwrap_or(around.namespace);
    let (order, compiled) = calendars(&bundle.calendars, namespace, around, &mut problems);
    let named: BTreeSet<Key> = bundle.calendars.iter().map(|spec| key(spec, namespace)).collect();
    let find = |namespace: &str, name: &str| {
        let key = (namespace.to_owned(), name.to_owned());
        match compiled.get(&key) {
            Some(calendar) => Known::Calendar(Arc::clone(calendar)),
            // Wrong itself, which has been said.
            None if named.contains(&key) => Known::Unknown,
            None => (around.calendars)(namespace, name),
        }
    };
    let inner = Surroundings { namespace, calendars: &find, ..*around };
    let mut jobs = Vec::with_capacity(bundle.jobs.len());
    let (mut warnings, mut places) = (Vec::new(), Vec::with_capacity(bundle.jobs.len()));
    let mut prefixes = Vec::with_capacity(bundle.jobs.len());
    for (index, spec) in bundle.jobs.iter().enumerate() {
        if let Err(refusal) = work::may_go_on() {
            return Err(vec![Problem::new(ErrorCode::ServerBusy, refusal.0.detail)]);
        }
        let line = |pointer: &str| (around.line)(&format!("/jobs/{index}{pointer}"));
        let inner = Surroundings { line: &line, ..inner };
        match job::read_job(spec, &inner) {
            Ok(job) => {
                let found = super::warnings(spec, &job, around.now).into_iter();
                warnings.extend(found.map(|found| under(&format!("/jobs/{index}"), found)));
                places.push(after::places(spec, &job, &format!("/jobs/{index}")));
                prefixes.push(format!("/jobs/{index}"));
                jobs.push(Arc::new(job));
            }
            Err(found) => problems.extend(found.into_iter().map(|found| under(&format!("/jobs/{index}"), found))),
        }
    }
    let followers: Vec<Follower<'_>> = jobs.iter().zip(&places).map(|(job, places)| Follower { job, places }).collect();
    problems.extend(after::circles(&followers, &[]));
    let calling: Vec<Calling<'_>> = jobs.iter().zip(prefixes).map(|(job, place)| Calling { job, place }).collect();
    problems.extend(calls::circles(&calling, &calls::by_namespace(&calling)));
    problems.extend(waits::circles(&calling, &waits::by_namespace(&calling)));
    let checked = with_checked(mainspring_api::check_bundle(bundle), problems);
    checked.map(|()| Compiled { calendars: order, jobs, warnings, places })
}

/// The calendars that a bundle names and does not hold, as (namespace, name).
#[must_use]
pub fn calendars_of(bundle: &Bundle, default_namespace: &str) -> BTreeSet<(String, String)> {
    let namespace = bundle.namespace.as_deref().unwrap_or(default_namespace);
    let held: BTreeSet<Key> = bundle.calendars.iter().map(|spec| key(spec, namespace)).collect();
    let bases = bundle.calendars.iter().filter_map(|spec| Some((key(spec, namespace).0, spec.base.clone()?)));
    let named = bundle.jobs.iter().flat_map(|job| {
        let namespace = job.namespace.as_deref().unwrap_or(namespace);
        let triggers = job.triggers_in_order().into_iter();
        triggers.filter_map(move |(_, trigger)| Some((namespace.to_owned(), trigger.calendar?)))
    });
    bases.chain(named).filter(|key| !held.contains(key)).collect()
}

fn key(spec: &CalendarSpec, namespace: &str) -> Key {
    (spec.namespace.clone().unwrap_or_else(|| namespace.to_owned()), spec.name.clone())
}

/// Compiles calendars, bases first, until only those are left whose bases are wrong, missing or themselves.
fn calendars(
    specs: &[CalendarSpec],
    namespace: &str,
    around: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> (Vec<NamedCalendar>, BTreeMap<Key, Arc<Calendar>>) {
    let mut waiting = Vec::with_capacity(specs.len());
    for (index, spec) in specs.iter().enumerate() {
        let (namespace, name) = key(spec, namespace);
        match calendar::calendar(spec) {
            Ok(definition) => waiting.push(NamedCalendar { index, namespace, name, definition }),
            Err(found) => problems.extend(found.into_iter().map(|found| under(&place(index), found))),
        }
    }
    let names: BTreeSet<Key> = waiting.iter().map(|it| (it.namespace.clone(), it.name.clone())).collect();
    let base_of = |it: &NamedCalendar| {
        let base = (it.namespace.clone(), it.definition.base.clone()?);
        names.contains(&base).then_some(base)
    };
    let mut standing: BTreeMap<Key, Vec<NamedCalendar>> = BTreeMap::new();
    let mut ready = VecDeque::with_capacity(waiting.len());
    for named in waiting {
        match base_of(&named) {
            Some(base) => standing.entry(base).or_default().push(named),
            None => ready.push_back(named),
        }
    }
    let mut order = Vec::with_capacity(specs.len());
    let mut compiled: BTreeMap<Key, Arc<Calendar>> = BTreeMap::new();
    while let Some(named) = ready.pop_front() {
        let key = (named.namespace.clone(), named.name.clone());
        ready.extend(standing.remove(&key).into_iter().flatten());
        match compile_one(&named, &compiled, around) {
            Ok(Some(calendar)) => {
                compiled.insert(key, Arc::new(calendar));
                order.push(named);
            }
            Ok(None) => order.push(named),
            Err(found) => problems.push(under(&place(named.index), found)),
        }
    }
    let mut circular: Vec<_> = standing.into_values().flatten().collect();
    circular.sort_by_key(|named| named.index);
    problems.extend(circular.iter().map(cycle));
    (order, compiled)
}

/// `None` where the base cannot be known: the calendar is checked without it, and its triggers without the calendar.
fn compile_one(
    named: &NamedCalendar,
    compiled: &BTreeMap<Key, Arc<Calendar>>,
    around: &Surroundings<'_>,
) -> Result<Option<Calendar>, Problem> {
    let mut definition = named.definition.clone();
    let mut base = None;
    if let Some(name) = &definition.base {
        let known = compiled.get(&(named.namespace.clone(), name.clone())).cloned().map(Known::Calendar);
        match known.unwrap_or_else(|| (around.calendars)(&named.namespace, name)) {
            Known::Calendar(calendar) => base = Some(calendar),
            Known::Unknown => definition.base = None,
            Known::Missing => {
                let message = format!("there is no calendar \"{name}\" in namespace \"{}\"", named.namespace);
                return Err(Problem::new(ErrorCode::CalendarUnknown, message).at("/base"));
            }
        }
    }
    let unknown_base = named.definition.base.is_some() && base.is_none();
    let calendar = compile::calendar(&definition, &|_| base.clone()).map_err(|error| {
        let pointer = match error.field {
            "from" | "to" => format!("/daily/{}", error.field),
            "dates" => "/holiday".to_owned(),
            "days" => "/weekly".to_owned(),
            "calendar" => String::new(),
            field => format!("/{field}"),
        };
        problem(error, pointer)
    })?;
    Ok((!unknown_base).then_some(calendar))
}

fn cycle(named: &NamedCalendar) -> Problem {
    let base = named.definition.base.as_deref().unwrap_or_default();
    let message = format!("calendar \"{}\" stands on \"{base}\", which stands on it or is wrong itself", named.name);
    Problem::new(ErrorCode::CalendarCycle, message).at(format!("{}/base", place(named.index)))
}

fn place(index: usize) -> String {
    format!("/calendars/{index}")
}
