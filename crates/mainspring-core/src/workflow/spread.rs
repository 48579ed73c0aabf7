//! Tasks that run more than once: what each run is for, how many run at once, and how the task as a whole ends.

use serde_json::{Map, Value};

use super::context::ItemValue;
use super::{Spread, TaskState};

/// The most runs of one task.
pub const ITEMS_MAX: usize = 10_000;

/// Where the runs of a task stand.
///
/// ```
/// use mainspring_core::workflow::{Items, TaskState};
/// let mut items = Items::new(3);
/// assert_eq!(items.startable(Some(2)), [0, 1]);
/// items.set(0, TaskState::Running);
/// items.set(1, TaskState::Running);
/// items.set(0, TaskState::Failed);
/// assert_eq!(items.startable(Some(2)), [2]);
/// items.set(1, TaskState::Succeeded);
/// items.set(2, TaskState::Succeeded);
/// assert_eq!(items.end(), Some(TaskState::Failed));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Items {
    states: Vec<TaskState>,
    /// The first that has neither started nor ended.
    next: usize,
    running: usize,
    open: usize,
}

impl Items {
    /// So many runs, none of which has started.
    #[must_use]
    pub fn new(count: u32) -> Self {
        let count = count as usize;
        Self { states: vec![TaskState::Waiting; count], next: 0, running: 0, open: count }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Where one stands; nothing if there is no such run.
    #[must_use]
    pub fn state(&self, item: u32) -> Option<TaskState> {
        self.states.get(item as usize).copied()
    }

    /// Notes where one stands now. One that is final stays so.
    pub fn set(&mut self, item: u32, state: TaskState) {
        let Some(before) = self.states.get_mut(item as usize).filter(|before| !before.is_final()) else { return };
        let was_running = std::mem::replace(before, state) == TaskState::Running;
        self.running = self.running + usize::from(state == TaskState::Running) - usize::from(was_running);
        self.open -= usize::from(state.is_final());
        while self.states.get(self.next).is_some_and(|state| *state != TaskState::Waiting) {
            self.next += 1;
        }
    }

    /// Those that are not final, in order.
    pub fn open(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.states).filter(|(_, state)| !state.is_final()).map(|(item, _)| item)
    }

    /// Those that may start now, in order, if so many may run at once.
    #[must_use]
    pub fn startable(&self, max_parallel: Option<u32>) -> Vec<u32> {
        self.waiting(max_parallel).collect()
    }

    /// Whether one may start now.
    #[must_use]
    pub fn can_start(&self, max_parallel: Option<u32>) -> bool {
        self.waiting(max_parallel).next().is_some()
    }

    fn waiting(&self, max_parallel: Option<u32>) -> impl Iterator<Item = u32> {
        let room = max_parallel.map_or(usize::MAX, |most| (most.max(1) as usize).saturating_sub(self.running));
        let waiting = (self.next..self.states.len()).filter(|item| self.states[*item] == TaskState::Waiting);
        waiting.take(room).filter_map(|item| u32::try_from(item).ok())
    }

    /// How the task ends, once all have: `failed` if one failed, else `cancelled` if one was.
    #[must_use]
    pub fn end(&self) -> Option<TaskState> {
        if self.open > 0 {
            return None;
        }
        let any = |state| self.states.contains(&state);
        Some(match () {
            () if any(TaskState::Failed) => TaskState::Failed,
            () if any(TaskState::Cancelled) => TaskState::Cancelled,
            () if any(TaskState::Succeeded) => TaskState::Succeeded,
            () => TaskState::Skipped,
        })
    }
}

impl Spread {
    /// How many runs a matrix makes; nothing for a list that is not known before it is asked for.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Matrix(lists) => Some(lists.iter().fold(1, |count, (_, list)| list.len().saturating_mul(count))),
            Self::Map(_) => None,
        }
    }
}

/// The combination of a matrix that a run is for, the last list changing fastest.
///
/// ```
/// use mainspring_core::workflow::{ItemValue, combination};
/// let lists = [("os".to_owned(), vec!["a".into(), "b".into()]), ("n".to_owned(), vec![1.into(), 2.into(), 3.into()])];
/// let ItemValue::Matrix(fourth) = combination(&lists, 3) else { unreachable!() };
/// assert_eq!(serde_json::Value::Object(fourth), serde_json::json!({"os": "b", "n": 1}));
/// ```
#[must_use]
pub fn combination(lists: &[(String, Vec<Value>)], item: u32) -> ItemValue {
    let mut rest = item as usize;
    let mut values = Map::new();
    for (name, list) in lists.iter().rev().filter(|(_, list)| !list.is_empty()) {
        values.insert(name.clone(), list[rest % list.len()].clone());
        rest /= list.len();
    }
    ItemValue::Matrix(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_follows_from_the_ends_and_not_from_their_order() {
        use TaskState::{Cancelled, Failed, Skipped, Succeeded};
        for (ends, expected) in [
            (vec![Succeeded, Skipped], Succeeded),
            (vec![Skipped, Skipped], Skipped),
            (vec![Cancelled, Succeeded], Cancelled),
            (vec![Cancelled, Failed, Succeeded], Failed),
        ] {
            for turn in 0..ends.len() {
                let mut items = Items::new(u32::try_from(ends.len()).unwrap());
                for place in 0..ends.len() {
                    assert_eq!(items.end(), None);
                    let place = (place + turn) % ends.len();
                    items.set(u32::try_from(place).unwrap(), ends[place]);
                }
                assert_eq!(items.end(), Some(expected), "{ends:?}");
            }
        }
    }

    #[test]
    fn late_end_changes_nothing() {
        let mut items = Items::new(2);
        items.set(0, TaskState::Cancelled);
        items.set(0, TaskState::Succeeded);
        items.set(7, TaskState::Failed);
        assert_eq!(
            (items.state(0), items.end(), items.open().collect::<Vec<_>>()),
            (Some(TaskState::Cancelled), None, vec![1])
        );
    }

    #[test]
    fn matrix_makes_each_combination_once() {
        let list = |values: [i64; 2]| values.map(Value::from).to_vec();
        let lists = vec![("a".to_owned(), list([1, 2])), ("b".to_owned(), list([3, 4]))];
        let count = Spread::Matrix(lists.clone()).count().unwrap();
        let made: Vec<String> = (0..u32::try_from(count).unwrap())
            .map(|item| match combination(&lists, item) {
                ItemValue::Matrix(values) => format!("{}{}", values["a"], values["b"]),
                ItemValue::Map(_) => unreachable!(),
            })
            .collect();
        assert_eq!(made, ["13", "14", "23", "24"]);
    }
}
