//! A plan as people read it: a row for each task, and what a run that carries it out begins with.

use rustc_hash::FxHashMap;

use super::{Plan, Recorded, Selection};
use crate::run::words;
use crate::workflow::{Progress, Row, Shape, Stop, TaskDefinition, TaskState, Workflow, at};

/// Names that a reason lists.
const NAMED_MAX: usize = 3;

words!(
    /// What becomes of a task when a plan is carried out.
    Action {
        /// It runs once what it needs has ended.
        Rerun = "rerun",
        /// It stays as it ended, with what it has left.
        Keep = "keep",
        /// It has not ended in a run that goes on, and is left alone.
        GoesOn = "goes_on",
        /// It would run, but what it needs is kept in a state that does not allow it.
        CannotRun = "cannot_run",
        /// The version that is to run does not have it.
        Gone = "gone",
    }
);

words!(
    /// How a task differs from that of the run that is repeated.
    Change {
        /// The version of that run does not have it.
        New = "new",
        /// It is defined in another way.
        Changed = "changed",
    }
);

/// What becomes of one task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// Its name.
    pub name: String,
    /// What becomes of it.
    pub action: Action,
    /// How it ended in the run that is repeated; nothing if that has no record of it.
    pub state: Option<TaskState>,
    /// Why, in words.
    pub reason: String,
    /// How it differs.
    pub change: Option<Change>,
    /// Whether it stands for a group: it does nothing itself.
    pub is_group: bool,
}

/// A plan as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The tasks of the version that is to run, in its order, and then those that it does not have.
    pub rows: Vec<TableRow>,
    /// The tasks that are kept: the number in the run that is repeated, and in the version that is to run.
    pub keep: Vec<(u32, u32)>,
}

/// Which tasks of two versions of a workflow are the same: those of one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matching {
    /// For each task of the version that is to run, the number in that of the run that is repeated.
    there: Vec<Option<u32>>,
    /// Tasks that only that has.
    gone: Vec<u32>,
}

impl Matching {
    /// Matches the tasks of the version of a run with those of the version that is to run.
    #[must_use]
    pub fn new(old: &Workflow, new: &Workflow) -> Self {
        let mut numbers: FxHashMap<&str, u32> = old.tasks.iter().map(|task| task.name.as_str()).zip(0..).collect();
        let there = new.tasks.iter().map(|task| numbers.remove(task.name.as_str())).collect();
        let mut gone: Vec<u32> = numbers.into_values().collect();
        gone.sort_unstable();
        Self { there, gone }
    }

    /// What the run says of the tasks of the version that is to run, given what it says of its own.
    #[must_use]
    pub fn recorded(&self, there: &[Recorded]) -> Vec<Recorded> {
        self.there.iter().map(|number| number.map_or(Recorded::default(), |number| there[at(number)])).collect()
    }
}

/// Where a plan is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// In a new run; the one that is repeated is over.
    New,
    /// In the run itself, which goes on.
    Same {
        /// Why nothing starts in it any more once the plan is carried out, as [`stop_then`](super::stop_then) says.
        stop: Option<Stop>,
    },
}

impl Target {
    const fn stop(self) -> Option<Stop> {
        match self {
            Self::New => None,
            Self::Same { stop } => stop,
        }
    }
}

/// What a table is made of.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// The version of the run that is repeated.
    pub old: &'a Workflow,
    /// The version that is to run.
    pub new: &'a Workflow,
    /// Which tasks are the same.
    pub matching: &'a Matching,
    /// What that run says of the tasks of the version that is to run.
    pub recorded: &'a [Recorded],
    /// The graph of that version.
    pub shape: &'a Shape,
    /// Where the plan is carried out.
    pub target: Target,
}

/// Says what becomes of each task when a plan is carried out, given what was selected.
///
/// Tasks of which the run has no record wait in a new one, selected or not: it has no end that could be kept.
#[must_use]
pub fn table(sides: Sides<'_>, plan: &Plan, selection: &Selection) -> Table {
    let Sides { matching, recorded, shape, target, .. } = sides;
    let mut runs: Vec<bool> = recorded.iter().map(|record| record.state.is_none()).collect();
    plan.tasks.iter().for_each(|planned| runs[at(planned.task)] = true);
    let row = |(record, runs): (&Recorded, &bool)| match record.state.filter(|_| !runs) {
        Some(state) => Row { state, generation: 0 },
        None => Row::NEW,
    };
    // What follows at once from the tasks that are kept, before anything has run.
    let mut progress = Progress::from_rows(shape, recorded.iter().zip(&runs).map(row).collect(), target.stop());
    while progress.advance(shape, &[], usize::MAX).more {}
    let mut chosen = vec![false; runs.len()];
    if let Selection::Tasks { tasks, .. } = selection {
        tasks.iter().for_each(|task| chosen[at(*task)] = true);
    }
    let words = Words { sides, runs: &runs, chosen: &chosen, selection };
    let rows = shape.graph().tasks().map(|task| {
        let end = progress.rows()[at(task)].state;
        let stands = recorded[at(task)].state.unwrap_or(end);
        let is_group = shape.rule(task).group;
        let (action, reason) = match runs[at(task)] {
            // All of its tasks are kept, and it is new.
            true if is_group && end.is_final() => (Action::Keep, end.to_string()),
            false if !stands.is_final() => (Action::GoesOn, stands.to_string()),
            false => (Action::Keep, stands.to_string()),
            true if end.is_final() => (Action::CannotRun, words.obstacle(task)),
            true => (Action::Rerun, words.cause(task)),
        };
        let name = sides.name(task).to_owned();
        TableRow { name, action, state: recorded[at(task)].state, reason, change: sides.change(task), is_group }
    });
    let gone = matching.gone.iter().map(|task| TableRow {
        name: sides.old.tasks[at(*task)].name.clone(),
        action: Action::Gone,
        state: None,
        reason: "not in the version that is to run".to_owned(),
        change: None,
        is_group: sides.old.is_group(*task),
    });
    let rows = rows.chain(gone).collect();
    let kept = shape.graph().tasks().filter(|task| !runs[at(*task)]);
    let keep = kept.filter_map(|task| Some((matching.there[at(task)]?, task))).collect();
    Table { rows, keep }
}

impl Sides<'_> {
    fn name(&self, task: u32) -> &str {
        &self.new.tasks[at(task)].name
    }

    fn change(&self, task: u32) -> Option<Change> {
        if std::ptr::eq(self.old, self.new) {
            return None;
        }
        match self.matching.there[at(task)] {
            None => Some(Change::New),
            Some(there) => (!self.same(there, task)).then_some(Change::Changed),
        }
    }

    fn same(&self, there: u32, here: u32) -> bool {
        let (old, new) = (&self.old.tasks[at(there)], &self.new.tasks[at(here)]);
        let needs = |workflow: &Workflow, task: &TaskDefinition| -> Vec<String> {
            task.needs.iter().map(|need| workflow.tasks[at(*need)].name.clone()).collect()
        };
        needs(self.old, old) == needs(self.new, new)
            && TaskDefinition { needs: Vec::new(), ..old.clone() }
                == TaskDefinition { needs: Vec::new(), ..new.clone() }
    }
}

/// Puts reasons in words.
struct Words<'a> {
    sides: Sides<'a>,
    runs: &'a [bool],
    chosen: &'a [bool],
    selection: &'a Selection,
}

impl Words<'_> {
    /// Why a task runs, and what becomes of its run.
    fn cause(&self, task: u32) -> String {
        let cause = self.reason(task);
        let is_running = self.sides.recorded[at(task)].state == Some(TaskState::Running);
        if is_running { format!("{cause}; its run is cancelled first") } else { cause }
    }

    fn reason(&self, task: u32) -> String {
        let graph = self.sides.shape.graph();
        let running = |tasks: &[u32]| tasks.iter().copied().filter(|task| self.runs[at(*task)]).collect::<Vec<_>>();
        let (above, below) = (running(graph.parents(task)), running(graph.children(task)));
        let state = self.sides.recorded[at(task)].state;
        let failed = matches!(state, Some(TaskState::Failed | TaskState::Cancelled));
        match state {
            _ if self.chosen[at(task)] => "chosen".to_owned(),
            None if self.sides.matching.there[at(task)].is_none() => "new in the version that is to run".to_owned(),
            None => "the run has no record of it".to_owned(),
            Some(state) if failed && *self.selection == Selection::Failed => state.to_string(),
            Some(_) if !above.is_empty() => format!("after {}", self.names(&above)),
            Some(_) if self.sides.shape.rule(task).finally => "runs last".to_owned(),
            Some(_) => format!("needed by {}", self.names(&below)),
        }
    }

    /// Why a task cannot run: what it needs and what is kept.
    fn obstacle(&self, task: u32) -> String {
        let parents = self.sides.shape.graph().parents(task);
        let kept = |state: TaskState| {
            let kept = parents.iter().copied().filter(|it| !self.runs[at(*it)]);
            kept.filter(|it| self.sides.recorded[at(*it)].state == Some(state)).collect::<Vec<_>>()
        };
        if self.sides.target.stop().is_some() && !self.sides.shape.rule(task).finally {
            return "another task has failed, and nothing starts after that: select that too".to_owned();
        }
        let rule = self.sides.shape.rule(task).trigger_rule;
        for &state in TaskState::ALL.iter().filter(|state| state.is_final() && **state != TaskState::Succeeded) {
            let names = kept(state);
            if !names.is_empty() {
                let one = if names.len() == 1 { "is" } else { "are" };
                return format!("needs {}, which {one} kept as {state}: select that too", self.names(&names));
            }
        }
        match parents.iter().copied().filter(|it| self.runs[at(*it)]).collect::<Vec<_>>() {
            names if names.is_empty() => format!("its rule {rule} does not hold"),
            names => format!("needs {}, which cannot run", self.names(&names)),
        }
    }

    fn names(&self, tasks: &[u32]) -> String {
        let named: Vec<&str> = tasks.iter().take(NAMED_MAX).map(|task| self.sides.name(*task)).collect();
        let more = tasks.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", named.join(", "))
    }
}
