//! Groups of tasks between job file and definition: in the graph, a task stands for each.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{GroupSpec, JobSpec, NeedSpec, OneOrMany, Problem, TaskSpec};
use mainspring_core::workflow::{Group, TaskDefinition, Workflow};
use serde::Deserialize;
use serde_json::Value;

use crate::convert::defaults::unless_default;

/// What a task has from its groups.
#[derive(Debug, Default)]
pub(super) struct FromGroups<'a> {
    /// The groups of which it is a first task, from the inner to the outer one.
    pub(super) first_of: Vec<(&'a str, &'a GroupSpec)>,
}

/// The members of each group that is asked for.
struct Members<'a> {
    spec: &'a JobSpec,
    known: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Members<'a> {
    fn new(spec: &'a JobSpec) -> Self {
        let known = spec.members().into_iter().map(|(group, tasks)| (group, tasks.into_iter().collect()));
        Self { spec, known: known.collect() }
    }

    /// Whether a name is that of a task or group that lies in a group.
    fn has(&self, group: &str, name: &str) -> bool {
        self.known.get(group).is_some_and(|members| members.contains(name))
            || self
                .spec
                .groups
                .get(name)
                .is_some_and(|it| self.spec.groups_around(it.group.as_deref()).any(|(outer, _)| outer == group))
    }

    /// The groups of which a task is a first one: it needs no other task of them, also by what its inner groups need.
    fn first_of(&self, task: &'a TaskSpec) -> Vec<(&'a str, &'a GroupSpec)> {
        let mut needs: Vec<&str> = task.needs_in_order().map(|(_, need)| need).collect();
        let mut first_of = Vec::new();
        for (name, group) in self.spec.groups_around(task.group.as_deref()) {
            if needs.iter().any(|need| self.has(name, need)) {
                continue;
            }
            needs.extend(group.needs_in_order().map(|(_, need)| need));
            first_of.push((name, group));
        }
        first_of
    }
}

/// What tasks have from their groups, by name. Needs of other workflows have the names of their tasks in the graph already.
pub(super) fn from_groups(spec: &JobSpec) -> BTreeMap<&str, FromGroups<'_>> {
    let members = Members::new(spec);
    let tasks = spec.tasks.iter().filter(|(_, task)| task.group.is_some());
    tasks.map(|(name, task)| (name.as_str(), FromGroups { first_of: members.first_of(task) })).collect()
}

/// Returns a workflow with a task for each group, which needs its tasks, and whose first tasks need what the group needs.
pub(super) fn expand(spec: &JobSpec) -> JobSpec {
    let mut expanded = spec.clone();
    for (name, from) in from_groups(spec) {
        let Some(task) = expanded.tasks.get_mut(name) else { continue };
        let mut needs: Vec<NeedSpec> = task.needs.as_ref().map_or(&[][..], OneOrMany::as_slice).to_vec();
        for (_, group) in &from.first_of {
            let more = group.needs.as_ref().map_or(&[][..], OneOrMany::as_slice);
            needs.extend(more.iter().filter(|need| !needs.contains(need)).cloned().collect::<Vec<_>>());
            task.trigger_rule = task.trigger_rule.or(group.trigger_rule.filter(|_| !task.finally));
        }
        task.needs = (!needs.is_empty()).then_some(OneOrMany::Many(needs));
    }
    let mut members = spec.members();
    for (name, group) in &spec.groups {
        let members = members.remove(name.as_str()).unwrap_or_default();
        let joins = TaskSpec {
            description: group.description.clone(),
            group: group.group.clone(),
            finally: !members.is_empty() && members.iter().all(|task| spec.tasks[*task].finally),
            needs: Some(OneOrMany::Many(members.into_iter().map(NeedSpec::from).collect())),
            joins: true,
            ..TaskSpec::default()
        };
        // A task of the same name is a problem that is found elsewhere.
        expanded.tasks.entry(name.clone()).or_insert(joins);
    }
    expanded
}

impl FromGroups<'_> {
    /// The condition of a task with those of its groups, all of which have to hold.
    pub(super) fn condition(&self, own: Option<&String>) -> Option<String> {
        all_of(self.conditions().chain(own.map(String::as_str)).collect())
    }

    /// The conditions of its groups, the outer ones first.
    fn conditions(&self) -> impl Iterator<Item = &str> {
        self.first_of.iter().rev().filter_map(|(_, group)| group.condition.as_deref())
    }

    /// The condition that a task says itself, given what came of it with those of its groups.
    fn own_condition(&self, all: &str) -> Option<String> {
        let of_groups: Vec<&str> = self.conditions().collect();
        let Some(with) = all_of(of_groups.clone()) else { return Some(all.to_owned()) };
        if all == with {
            return None;
        }
        let begins = of_groups.into_iter().map(|it| format!("({})", inside(it))).collect::<Vec<_>>().join(" and ");
        let own = all.strip_prefix(&format!("${{{{ {begins} and (")).and_then(|rest| rest.strip_suffix(") }}"));
        Some(own.map_or_else(|| all.to_owned(), |own| format!("${{{{ {own} }}}}")))
    }

    /// Where one of them says what its first tasks need, if one does.
    pub(super) fn place(&self, need: &str) -> Option<String> {
        self.first_of.iter().find_map(|(name, group)| {
            let (place, _) = group.needs_in_order().find(|(_, it)| *it == need)?;
            Some(format!("/groups/{name}{place}"))
        })
    }
}

fn all_of(conditions: Vec<&str>) -> Option<String> {
    match conditions[..] {
        [] => None,
        [one] => Some(one.to_owned()),
        _ => {
            let all: Vec<String> = conditions.into_iter().map(|it| format!("({})", inside(it))).collect();
            Some(format!("${{{{ {} }}}}", all.join(" and ")))
        }
    }
}

fn inside(condition: &str) -> &str {
    let text = condition.trim();
    text.strip_prefix("${{").and_then(|text| text.strip_suffix("}}")).unwrap_or(text).trim()
}

/// Reads what a group says for its tasks.
pub(super) fn read(group: &GroupSpec) -> Group {
    Group {
        needs: group.needs_in_order().map(|(_, need)| need.to_owned()).collect(),
        trigger_rule: group.trigger_rule,
        condition: group.condition.clone(),
        defaults: group
            .defaults
            .as_ref()
            .map(|it| serde_json::to_value(it).expect("plain data has a text"))
            .unwrap_or(Value::Null),
    }
}

/// Writes the groups of a workflow. `need` writes what is needed, given its name.
pub(super) fn write(workflow: &Workflow, need: impl Fn(&str) -> NeedSpec) -> BTreeMap<String, GroupSpec> {
    let written = |task: &TaskDefinition| {
        let group = task.joins.as_ref()?;
        let needs: Vec<NeedSpec> = group.needs.iter().map(|name| need(name)).collect();
        let spec = GroupSpec {
            description: Some(task.job.description.clone()).filter(|text| !text.is_empty()),
            group: task.group.clone(),
            needs: OneOrMany::of(needs),
            trigger_rule: group.trigger_rule,
            condition: group.condition.clone(),
            defaults: TaskSpec::deserialize(&group.defaults).ok().map(Box::new),
        };
        Some((task.name.clone(), spec))
    };
    workflow.tasks.iter().filter_map(written).collect()
}

/// Takes from the tasks of a workflow what they have from their groups. Needs have the names of their tasks in the graph still.
pub(super) fn take_back(spec: &mut JobSpec) {
    let whole = spec.clone();
    for (name, from) in from_groups(&whole) {
        let Some(task) = spec.tasks.get_mut(name) else { continue };
        let of_groups: BTreeSet<&str> =
            from.first_of.iter().flat_map(|(_, group)| group.needs_in_order().map(|(_, need)| need)).collect();
        let own = task.needs_in_order().map(|(_, need)| need).filter(|need| !of_groups.contains(need));
        let own = own.map(NeedSpec::from).collect();
        task.needs = OneOrMany::of(own);
        let of_groups = from.first_of.iter().find_map(|(_, group)| group.trigger_rule).filter(|_| !task.finally);
        let rule = task.trigger_rule.unwrap_or_default();
        task.trigger_rule = match of_groups {
            Some(said) => Some(rule).filter(|rule| *rule != said),
            None => unless_default(rule),
        };
        task.condition = task.condition.as_deref().and_then(|all| from.own_condition(all));
    }
}

/// Problems of the conditions of groups, checked by `check` as those of tasks that need what the group needs.
pub(super) fn check(spec: &JobSpec, check: impl Fn(&str, &TaskSpec, &mut Vec<Problem>), problems: &mut Vec<Problem>) {
    for (name, group) in spec.groups.iter().filter(|(_, group)| group.condition.is_some()) {
        let as_task =
            TaskSpec { needs: group.needs.clone(), condition: group.condition.clone(), ..TaskSpec::default() };
        let mut found = Vec::new();
        check(name, &as_task, &mut found);
        problems.extend(found.into_iter().map(|problem| {
            let place = format!("/groups/{name}{}", problem.pointer);
            problem.at(place)
        }));
    }
}
