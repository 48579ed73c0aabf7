//! What depends on what a backfill runs again: jobs, by their needs, and dates of their schedules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use mainspring_model::NeedAt;
use mainspring_schedule::Timestamp;

use super::super::dates::{Dated, LogicalDate};
use super::super::{At, Elsewhere, Graph, GraphError, Needed, downstream, upstream};
use super::Part;
use crate::job::Job;

/// Between which instants fire times lie whose runs may need others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The first.
    pub from: Timestamp,
    /// The last.
    pub to: Timestamp,
    /// How many of the next fire times after `to` may, too.
    pub more: usize,
}

impl Elsewhere {
    /// Between which instants the fire times of runs lie that may need those from `first` through `last`, where these are `named` so.
    #[must_use]
    pub fn window(&self, first: &Dated, last: &Dated, named: LogicalDate) -> Window {
        // A run that is named after the start of its data fires one later than its date.
        let later = match named {
            LogicalDate::Fire => 0,
            LogicalDate::Start => 1,
        };
        let of_dates = |ms, more| Window { from: first.logical - ms, to: last.logical - ms, more };
        match self.at {
            At::Word(NeedAt::Same) => of_dates(0, later),
            At::Word(NeedAt::Previous) => of_dates(0, 1 + later),
            At::Word(NeedAt::Covers) => Window { from: first.date, to: last.date, more: 1 },
            At::Offset(ms) => of_dates(ms, later),
        }
    }

    /// Returns which dates `below` need which `above`: for each that needs some, their places. Those above are in order.
    ///
    /// ```
    /// use mainspring_core::workflow::dates::{Dated, LogicalDate};
    /// use mainspring_core::workflow::{At, Elsewhere, NeedAt, OnMissing};
    /// use mainspring_schedule::Timestamp;
    /// let at = Timestamp::from_millis;
    /// let fires: Vec<Timestamp> = (1..6).map(at).collect();
    /// let hours = Dated::all([Some(at(0)), None], &fires, LogicalDate::Fire);
    /// let day = [Dated::new(at(4), [Some(at(1)), None], LogicalDate::Fire)];
    /// let need = |word| Elsewhere {
    ///     workflow: "w".to_owned(), task: None, at: At::Word(word), on_missing: OnMissing::Wait, timeout_ms: None
    /// };
    /// assert_eq!(need(NeedAt::Covers).needing(&day, &hours), [(0, 1..4)]);
    /// assert_eq!(need(NeedAt::Same).needing(&day, &hours), [(0, 3..4)]);
    /// assert_eq!(need(NeedAt::Previous).needing(&day, &hours), [(0, 0..1)]);
    /// assert_eq!(need(NeedAt::Previous).needing(&day, &hours[1..]), []);
    /// // Hours that are named after their beginning fire one later.
    /// let hours = Dated::all([Some(at(0)), None], &fires, LogicalDate::Start);
    /// assert_eq!(need(NeedAt::Covers).needing(&day, &hours), [(0, 1..4)]);
    /// assert_eq!(need(NeedAt::Same).needing(&day, &hours), [(0, 4..5)]);
    /// ```
    #[must_use]
    pub fn needing(&self, below: &[Dated], above: &[Dated]) -> Vec<(usize, Range<usize>)> {
        let places = |it: &Dated| match self.needed(it)? {
            Needed::Date(date) | Needed::Named { date, .. } => Some(
                above.partition_point(|above| above.logical < date)
                    ..above.partition_point(|above| above.logical <= date),
            ),
            Needed::Within(from, to) => {
                let first = above.partition_point(|above| above.start < from);
                let end = above.partition_point(|above| above.date <= to);
                Some(first..end.max(first))
            }
        };
        let found = below.iter().enumerate().filter_map(|(index, it)| Some((index, places(it)?)));
        found.filter(|(_, places)| !places.is_empty()).collect()
    }
}

/// Jobs that depend on one, by way of any number of others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependants(BTreeMap<usize, BTreeSet<u32>>);

impl Dependants {
    /// Finds the jobs whose tasks need what runs again of the job at the place `first`, and in turn what runs again because of that. `part`
    /// says which tasks of the first one do; all, if absent. The first one is among them if it depends on itself.
    #[must_use]
    pub fn of(jobs: &[Arc<Job>], first: usize, part: Option<&Part>) -> Self {
        let mut needing: BTreeMap<&str, Vec<(usize, u32, &Elsewhere)>> = BTreeMap::new();
        for (place, job) in jobs.iter().enumerate() {
            for (task, need) in job.needs_elsewhere() {
                needing.entry(&need.workflow).or_default().push((place, task, need));
            }
        }
        let mut again: BTreeMap<usize, Again> = BTreeMap::from([(first, Again::first(&jobs[first], part))]);
        let mut found: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        let mut open = vec![first];
        while let Some(of) = open.pop() {
            for &(place, task, need) in needing.get(jobs[of].key.name.as_str()).into_iter().flatten() {
                let is_again = again.get(&of).is_some_and(|again| again.has(&jobs[of], need.task.as_deref()));
                if is_again && found.entry(place).or_default().insert(task) {
                    again.entry(place).or_insert_with(|| Again::Tasks(BTreeSet::new())).add(&jobs[place], task);
                    open.push(place);
                }
            }
        }
        found.retain(|_, tasks| !tasks.is_empty());
        Self(found)
    }

    /// The places of jobs that need something of the job of a name, each with the tasks that stand for it.
    pub fn needing<'a>(
        &'a self,
        jobs: &'a [Arc<Job>],
        name: &'a str,
    ) -> impl Iterator<Item = (usize, u32, &'a Elsewhere)> + 'a {
        self.0.iter().flat_map(move |(place, tasks)| {
            let needs = jobs[*place].needs_elsewhere().filter(|(task, _)| tasks.contains(task));
            needs.filter(move |(_, need)| need.workflow == name).map(move |(task, need)| (*place, task, need))
        })
    }

    /// The places of all of them.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.keys().copied()
    }

    /// Which tasks of a job run again: those that need what does, and all below them. A date without a run gets a whole one.
    #[must_use]
    pub fn part(&self, jobs: &[Arc<Job>], place: usize) -> Part {
        let tasks = self.0.get(&place).into_iter().flatten();
        let name = |task: &u32| Some(jobs[place].workflow()?.tasks.get(*task as usize)?.name.clone());
        let mut tasks: Vec<String> = tasks.filter_map(name).collect();
        tasks.sort_unstable();
        Part { tasks, downstream: true, upstream: false, create_missing: true }
    }
}

/// Which tasks of a job run again.
enum Again {
    All,
    Tasks(BTreeSet<u32>),
}

impl Again {
    fn first(job: &Job, part: Option<&Part>) -> Self {
        let (Some(part), Some(workflow)) = (part.filter(|part| !part.tasks.is_empty()), job.workflow()) else {
            return Self::All;
        };
        let Ok(shape) = workflow.shape() else { return Self::All };
        let mut tasks: Vec<u32> = part.tasks.iter().filter_map(|name| workflow.find(name)).collect();
        if part.upstream {
            tasks = upstream(shape.graph(), &tasks);
        }
        let mut again = Self::Tasks(tasks.iter().copied().collect());
        if part.downstream {
            tasks.iter().for_each(|task| again.add(job, *task));
        }
        again
    }

    /// Adds a task with all below it, and those that run last.
    fn add(&mut self, job: &Job, task: u32) {
        let Self::Tasks(tasks) = self else { return };
        let Some(workflow) = job.workflow() else { return };
        let Ok(shape) = workflow.shape() else {
            *self = Self::All;
            return;
        };
        tasks.extend(downstream(shape.graph(), &[task]));
        tasks.extend((0..).zip(&workflow.tasks).filter(|(_, task)| task.finally).map(|(number, _)| number));
    }

    /// Whether a task runs again, or any if none is named.
    fn has(&self, job: &Job, name: Option<&str>) -> bool {
        match (self, name) {
            (Self::All, _) | (_, None) => true,
            (Self::Tasks(tasks), Some(name)) => {
                job.workflow().and_then(|workflow| workflow.find(name)).is_some_and(|task| tasks.contains(&task))
            }
        }
    }
}

/// Says on which level each of `count` items is: one below the lowest of those that it depends on. Edges lead downwards.
///
/// # Errors
/// Items depend on each other in a circle, or there are too many of them.
pub fn levels(count: usize, edges: &[(u32, u32)]) -> Result<Vec<u32>, GraphError> {
    let graph = Graph::new(count, edges)?;
    let mut levels = vec![0_u32; count];
    for &item in graph.order() {
        let above = graph.parents(item).iter().map(|above| levels[*above as usize] + 1);
        levels[item as usize] = above.max().unwrap_or(0);
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobKey, Task};
    use crate::workflow::{Hold, OnMissing, TaskDefinition, Workflow};

    fn noop(name: &str, needs: Vec<u32>) -> TaskDefinition {
        TaskDefinition { needs, ..TaskDefinition::new(name, Job::new(JobKey::new("default", "x"), Task::Noop)) }
    }

    /// A workflow of two tasks, each of which needs something elsewhere if it is said what.
    fn job(name: &str, needs: [Option<(&str, Option<&str>)>; 2]) -> Arc<Job> {
        let mut tasks = vec![noop("one", vec![]), noop("two", vec![0])];
        for (place, need) in (0..).zip(needs) {
            let Some((workflow, task)) = need else { continue };
            let (workflow, task) = (workflow.to_owned(), task.map(str::to_owned));
            let need =
                Elsewhere { workflow, task, at: At::Word(NeedAt::Same), on_missing: OnMissing::Wait, timeout_ms: None };
            let number = u32::try_from(tasks.len()).unwrap();
            tasks[place].needs.push(number);
            tasks.push(TaskDefinition { hold: Some(Hold::Elsewhere(need.clone())), ..noop(&need.name(), vec![]) });
        }
        let workflow = Workflow { tasks, ..Workflow::default() };
        Arc::new(Job::new(JobKey::new("default", name), Task::Workflow(Box::new(workflow))))
    }

    fn found(jobs: &[Arc<Job>], part: Option<&Part>) -> Vec<(usize, Vec<String>)> {
        let dependants = Dependants::of(jobs, 0, part);
        dependants.places().map(|place| (place, dependants.part(jobs, place).tasks)).collect()
    }

    #[test]
    fn jobs_depend_by_the_tasks_that_run_again() {
        let jobs = [
            job("a", [None, None]),
            job("b", [Some(("a", Some("one"))), None]),
            job("c", [Some(("a", Some("two"))), Some(("b", None))]),
            job("d", [Some(("c", Some("one"))), None]),
            job("e", [Some(("c", Some("two"))), None]),
            job("f", [Some(("other", None)), None]),
        ];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = vec![
            (1, names(&["a:one@same"])),
            (2, names(&["a:two@same", "b@same"])),
            (3, names(&["c:one@same"])),
            (4, names(&["c:two@same"])),
        ];
        assert_eq!(found(&jobs, None), all);
        let part = Part { tasks: names(&["two"]), downstream: true, upstream: false, create_missing: false };
        let by_two = vec![(2, names(&["a:two@same"])), (3, names(&["c:one@same"])), (4, names(&["c:two@same"]))];
        assert_eq!(found(&jobs, Some(&part)), by_two);
        let only = Part { tasks: names(&["one"]), downstream: false, ..part.clone() };
        let by_one = vec![(1, names(&["a:one@same"])), (2, names(&["b@same"])), (4, names(&["c:two@same"]))];
        assert_eq!(found(&jobs, Some(&only)), by_one, "task one of c does not run again");
        assert_eq!(found(&jobs, Some(&Part { upstream: true, ..part })), all);
    }

    #[test]
    fn jobs_that_need_each_other_or_themselves_are_found_once() {
        let jobs = [job("a", [Some(("b", None)), Some(("a", None))]), job("b", [Some(("a", None)), None])];
        let found = found(&jobs, None);
        assert_eq!(found.iter().map(|(place, tasks)| (*place, tasks.len())).collect::<Vec<_>>(), [(0, 2), (1, 1)]);
    }

    #[test]
    fn levels_are_one_below_the_lowest_above() {
        assert_eq!(levels(5, &[(0, 1), (0, 2), (1, 2), (2, 3)]), Ok(vec![0, 1, 2, 3, 0]));
        assert!(matches!(levels(2, &[(0, 1), (1, 0)]), Err(GraphError::Cycles(_))));
    }
}
