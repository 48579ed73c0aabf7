//! Backfills of what depends on others by needs of other workflows: which dates of which jobs would run, level by level.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition};
use mainspring_core::rule::guarded;
use mainspring_core::workflow::backfill::{Dependants, Order, Reprocess, Window, levels, reaching};
use mainspring_core::workflow::dates::Dated;
use mainspring_core::workflow::{Elsewhere, GraphError};
use mainspring_schedule::Trigger;
use mainspring_store::{JobPrior, JobQuery, JobRow, NamedTrigger};

use super::{
    Answer, BELOW, BackfillError, Control, FIRES_MAX, Part, Plan, PlanRow, Spec, Wish, hash, previous_two, tally,
};

/// Jobs that are read at a time.
const PAGE: u32 = 1_000;
/// Backfills that start with another one.
pub(super) const BELOW_MAX: usize = 1_000;

/// What is chosen of the first job.
pub(super) struct First<'a> {
    pub(super) job: &'a JobRow,
    pub(super) trigger: &'a NamedTrigger,
    /// Its dates, and what is done about each.
    pub(super) dates: &'a [Dated],
    pub(super) rows: &'a [PlanRow],
}

/// Dates of one trigger that run because they depend on others.
struct Group {
    /// The place of the job.
    job: usize,
    row: JobRow,
    trigger: NamedTrigger,
}

/// A date of a group.
struct Node {
    group: usize,
    dated: Dated,
    row: PlanRow,
}

/// What is known so far.
struct Cascade {
    jobs: Vec<Arc<Job>>,
    dependants: Dependants,
    groups: Vec<Group>,
    nodes: Vec<Node>,
    /// From what is needed to what needs it.
    edges: Vec<(u32, u32)>,
    /// The dates of each job.
    known: BTreeMap<(usize, Timestamp), u32>,
    /// Dates of a job that run, and of which nobody has asked yet what depends on them.
    open: VecDeque<(usize, Vec<u32>)>,
}

impl Control {
    /// Plans what depends on a backfill: a plan for each trigger of which dates would run.
    pub(super) async fn plan_below(&self, first: First<'_>, wish: &Wish) -> Answer<Vec<Plan>> {
        let key = &first.job.definition.key;
        let mut jobs = self.needing(&key.namespace).await?;
        let place = jobs.iter().position(|job| job.key == *key).unwrap_or(jobs.len());
        if place == jobs.len() {
            jobs.push(Arc::clone(&first.job.definition));
        }
        let dependants = Dependants::of(&jobs, place, wish.part.as_ref());
        let mut cascade = Cascade::new(jobs, dependants, place, &first);
        let mut priors = BTreeMap::new();
        for place in cascade.dependants.places() {
            // One that was deleted meanwhile has no dates.
            let prior = self.store.prior(&cascade.jobs[place].key).await?;
            if let JobPrior { job: Some(job), triggers, .. } = prior {
                priors.insert(place, (job, triggers));
            }
        }
        while let Some((job, nodes)) = cascade.open.pop_front() {
            let name = cascade.jobs[job].key.name.clone();
            let needs = cascade.dependants.needing(&cascade.jobs, &name);
            let needs: Vec<(usize, u32, Elsewhere)> =
                needs.map(|(place, task, need)| (place, task, need.clone())).collect();
            for (place, task, need) in needs {
                let Some((row, triggers)) = priors.get(&place) else { continue };
                for trigger in triggers {
                    self.find_dates(&mut cascade, (place, row, trigger), (task, &need), &nodes).await?;
                }
            }
        }
        cascade.plans(wish)
    }

    /// The jobs of a namespace of which tasks need others of other workflows.
    async fn needing(&self, namespace: &str) -> Answer<Vec<Arc<Job>>> {
        let (mut jobs, mut after) = (Vec::new(), None);
        loop {
            let query = JobQuery { namespace: Some(namespace.to_owned()), after, limit: PAGE, ..JobQuery::default() };
            let page = self.store.jobs(query).await?;
            let is_last = page.len() < PAGE as usize;
            after = page.last().map(|row| row.definition.key.clone());
            let needing = page.into_iter().filter(|row| row.definition.needs_elsewhere().next().is_some());
            jobs.extend(needing.map(|row| row.definition));
            if is_last {
                return Ok(jobs);
            }
        }
    }

    /// Finds dates of a trigger that need some of the nodes.
    async fn find_dates(
        &self,
        cascade: &mut Cascade,
        (place, row, trigger): (usize, &JobRow, &NamedTrigger),
        (task, need): (u32, &Elsewhere),
        nodes: &[u32],
    ) -> Answer<()> {
        let mut above: Vec<(Dated, u32)> = nodes.iter().map(|node| (cascade.node(*node).dated, *node)).collect();
        above.sort_unstable_by_key(|(dated, node)| (dated.date, *node));
        let (Some((first, _)), Some((last, _))) = (above.first(), above.last()) else { return Ok(()) };
        let window = need.window(first, last, row.definition.logical_date);
        let Some(below) = self.dates_in(row, trigger, window).await? else { return Ok(()) };
        let dates: Vec<Dated> = above.iter().map(|(dated, _)| *dated).collect();
        let found = need.needing(&below, &dates);
        let new: Vec<Dated> = found
            .iter()
            .map(|(index, _)| below[*index])
            .filter(|dated| !cascade.known.contains_key(&(place, dated.date)))
            .collect();
        if !new.is_empty() {
            let part = cascade.dependants.part(&cascade.jobs, place);
            let mut rows = self.rows(row, trigger, &new, |existing| part.action(existing)).await?;
            self.plan_parts(&mut rows, row, &part).await?;
            let why = cascade.why(place, task, need);
            rows.iter_mut().for_each(|row| row.why = Some(why.clone()));
            cascade.add((place, row, trigger), new, rows)?;
        }
        cascade.join(place, &found, &below, &above)
    }

    /// The dates of a trigger that lie in a window, up to now. Nothing: it has no schedule.
    async fn dates_in(&self, row: &JobRow, trigger: &NamedTrigger, window: Window) -> Answer<Option<Vec<Dated>>> {
        let index = trigger.row.index as usize;
        let definition = &row.definition.triggers[index];
        if matches!(definition.schedule, ScheduleDefinition::After { .. } | ScheduleDefinition::Delay { .. }) {
            return Ok(None);
        }
        let calendars = self.calendars_of(&row.definition).await?;
        let rule = self.rule(&row.definition, index, &calendars, trigger.row.progress.start_at)?;
        let reach = reaching(&rule.trigger, definition, window.from);
        let now = self.now();
        let name = || format!("{} of {}", trigger.name, row.definition.key);
        let named = row.definition.logical_date;
        let found = guarded(|| {
            let fires = fires_in(&reach, window, now);
            let previous = fires.first().map(|first| previous_two(&rule.trigger, definition, *first, named));
            Dated::all(previous.unwrap_or_default(), &fires, named)
        });
        let dates = found.map_err(|panic| {
            BackfillError::NoSchedule(format!("the schedule of trigger {} panicked: {panic}", name()))
        })?;
        if dates.len() > FIRES_MAX {
            let text = format!(
                "trigger {} fires more than {FIRES_MAX} times from {} to {}: choose a shorter range",
                name(),
                window.from,
                window.to
            );
            return Err(BackfillError::TooMany(text));
        }
        Ok(Some(dates))
    }
}

/// The fire times of a window, up to now; one more than there may be, if there are too many.
fn fires_in(trigger: &Trigger, window: Window, now: Timestamp) -> Vec<Timestamp> {
    let end = if window.more > 0 { now } else { window.to.min(now) };
    let (mut fires, mut later) = (Vec::new(), 0);
    for fire in trigger.fires_between(window.from, end + 1) {
        later += usize::from(fire > window.to);
        if later > window.more || fires.len() > FIRES_MAX {
            break;
        }
        fires.push(fire);
    }
    fires
}

impl Cascade {
    /// Begins with the dates of the first job that run. The others of it stay as they were chosen.
    fn new(jobs: Vec<Arc<Job>>, dependants: Dependants, place: usize, first: &First<'_>) -> Self {
        let group = Group { job: place, row: first.job.clone(), trigger: first.trigger.clone() };
        let nodes =
            first.dates.iter().zip(first.rows).map(|(dated, row)| Node { group: 0, dated: *dated, row: row.clone() });
        let nodes: Vec<Node> = nodes.collect();
        let known = (0..).zip(&nodes).map(|(number, node)| ((place, node.dated.date), number)).collect();
        let running = (0..).zip(&nodes).filter(|(_, node)| node.row.action.runs()).map(|(number, _)| number);
        let open = VecDeque::from([(place, running.collect())]);
        Self { jobs, dependants, groups: vec![group], nodes, edges: Vec::new(), known, open }
    }

    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    /// Why a date runs, in words.
    fn why(&self, place: usize, task: u32, need: &Elsewhere) -> String {
        let first = self.jobs[place].first_needs_elsewhere();
        format!("{} needs {}", first.get(&task).copied().unwrap_or_default(), need.name())
    }

    /// Adds dates of a trigger.
    fn add(
        &mut self,
        (place, row, trigger): (usize, &JobRow, &NamedTrigger),
        dates: Vec<Dated>,
        rows: Vec<PlanRow>,
    ) -> Answer<()> {
        let is_it = |group: &Group| group.trigger.row.id == trigger.row.id;
        // What is chosen of the first job is a backfill of its own.
        let there = self.groups.iter().skip(1).position(is_it).map(|found| found + 1);
        let group = there.unwrap_or(self.groups.len());
        if there.is_none() {
            self.groups.push(Group { job: place, row: row.clone(), trigger: trigger.clone() });
        }
        if self.groups.len() > BELOW_MAX || self.nodes.len() + dates.len() > FIRES_MAX {
            let text = format!(
                "more than {FIRES_MAX} dates, or {BELOW_MAX} triggers, depend on the range: choose a shorter one"
            );
            return Err(BackfillError::TooMany(text));
        }
        let mut running = Vec::new();
        for (dated, row) in dates.into_iter().zip(rows) {
            let number = u32::try_from(self.nodes.len()).expect("bounded above");
            self.known.insert((place, dated.date), number);
            if row.action.runs() {
                running.push(number);
            }
            self.nodes.push(Node { group, dated, row });
        }
        if !running.is_empty() {
            self.open.push_back((place, running));
        }
        Ok(())
    }

    /// Notes which dates wait for which. What was chosen itself waits for none: there a circle ends.
    fn join(
        &mut self,
        place: usize,
        found: &[(usize, std::ops::Range<usize>)],
        below: &[Dated],
        above: &[(Dated, u32)],
    ) -> Answer<()> {
        for (index, places) in found {
            let Some(&number) = self.known.get(&(place, below[*index].date)) else { continue };
            let node = self.node(number);
            if node.group == 0 || !node.row.action.runs() {
                continue;
            }
            self.edges.extend(above[places.clone()].iter().map(|(_, above)| (*above, number)));
        }
        match self.edges.len() > mainspring_core::workflow::Graph::EDGES_MAX {
            true => Err(refused(&GraphError::TooManyEdges(self.edges.len()))),
            false => Ok(()),
        }
    }

    /// The plans of all groups but the first.
    fn plans(mut self, wish: &Wish) -> Answer<Vec<Plan>> {
        let levels = levels(self.nodes.len(), &self.edges).map_err(|error| refused(&error))?;
        for &(above, below) in &self.edges {
            let node = &self.nodes[above as usize];
            let above = (node.group, node.dated.date);
            self.nodes[below as usize].row.above.insert(above);
        }
        let mut rows: Vec<Vec<PlanRow>> = self.groups.iter().map(|_| Vec::new()).collect();
        for (node, level) in self.nodes.into_iter().zip(levels) {
            // What does not run waits for nothing, and is shown where it was found.
            rows[node.group].push(PlanRow { level: level.max(1), ..node.row });
        }
        let (jobs, dependants) = (self.jobs, self.dependants);
        let groups = self.groups.into_iter().zip(rows).skip(1);
        Ok(groups.map(|(group, rows)| group.plan(rows, wish, dependants.part(&jobs, group.job))).collect())
    }
}

impl Group {
    fn plan(&self, mut rows: Vec<PlanRow>, wish: &Wish, part: Part) -> Plan {
        let span = span(&rows);
        rows.sort_by_key(|row| (row.level, row.fire_time));
        if wish.order == Order::Descending {
            rows.sort_by_key(|row| (row.level, std::cmp::Reverse(row.fire_time)));
        }
        let job = &self.row.definition;
        let mut spec = Spec {
            trigger: self.trigger.name.clone(),
            zone: job.triggers[self.trigger.row.index as usize].timezone.clone(),
            from: *span.start(),
            to: *span.end(),
            reprocess: Reprocess::Missing,
            part: job.workflow().map(|_| part),
            cascade: true,
            order: wish.order,
            max_active: wish.max_active,
            stop_on_failure: wish.stop_on_failure,
            priority: wish.priority.unwrap_or(job.priority.saturating_sub(BELOW)),
            plan: String::new(),
            actions: tally(&rows),
        };
        spec.plan = hash(self.row.id, self.row.version, self.trigger.row.id, &spec, &rows);
        let (job, key, job_version) = (self.row.id, job.key.clone(), self.row.version);
        Plan { job, key, job_version, trigger: self.trigger.row.id, spec, rows, below: Vec::new() }
    }
}

fn span(rows: &[PlanRow]) -> RangeInclusive<Timestamp> {
    let dates = || rows.iter().map(|row| row.fire_time);
    let none = Timestamp::from_millis(0);
    dates().min().unwrap_or(none)..=dates().max().unwrap_or(none)
}

fn refused(error: &GraphError) -> BackfillError {
    match error {
        GraphError::Cycles(_) => BackfillError::Circle(
            "workflows need each other at the same date, so none of these runs could end: change one of the needs"
                .to_owned(),
        ),
        error => BackfillError::TooMany(format!("too much depends on the range: {error}; choose a shorter one")),
    }
}

impl Plan {
    /// The rows of what depends on it, each with the key and the trigger whose date it is, level by level.
    #[must_use]
    pub fn rows_below(&self) -> Vec<(&JobKey, &str, &PlanRow)> {
        let rows =
            self.below.iter().flat_map(|plan| plan.rows.iter().map(|row| (&plan.key, plan.spec.trigger.as_str(), row)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(key, _, row)| (row.level, &key.name, row.fire_time));
        rows
    }
}
