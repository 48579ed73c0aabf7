//! Groups of tasks: that they are there, have tasks, and lie in each other in no circle.

use std::collections::BTreeSet;

use super::name::{name_problem, nearest};
use super::workflow::{Needing, OWN_KEYS, check_elsewhere, check_names, wrong};
use crate::document::{escape, shorten};
use crate::spec::{GROUPS_DEEP_MAX, GroupSpec};
use crate::{ErrorCode, JobSpec, Problem};

/// The groups of a workflow some task of which runs last.
pub(super) fn lasting(spec: &JobSpec) -> BTreeSet<&str> {
    let lasting =
        spec.members().into_iter().filter(|(_, members)| members.iter().any(|task| spec.tasks[*task].finally));
    lasting.map(|(group, _)| group).collect()
}

/// Checks the groups of a workflow, and that its tasks lie in groups that are there. `written` is the workflow as JSON.
pub(super) fn check_groups(
    spec: &JobSpec,
    written: &serde_json::Value,
    lasting: &BTreeSet<&str>,
    problems: &mut Vec<Problem>,
) {
    let members = spec.members();
    for (name, task) in spec.tasks.iter().filter(|(_, task)| task.group.is_some()) {
        check_group(
            spec,
            &format!("task \"{}\"", shorten(name)),
            task.group.as_deref(),
            &place("tasks", name),
            problems,
        );
    }
    for (name, group) in &spec.groups {
        let place = place("groups", name);
        name_problem(&place, name, problems);
        if spec.tasks.contains_key(name) {
            let problem = wrong(format!("\"{}\" is the name of a task, too", shorten(name)), place.clone());
            problems.push(problem.hint("give the group another name: both can be needed"));
        }
        let who = format!("group \"{}\"", shorten(name));
        check_group(spec, &who, group.group.as_deref(), &place, problems);
        check_nesting(spec, name, group, &place, problems);
        for key in OWN_KEYS.iter().filter(|key| written["groups"][name]["defaults"].get(**key).is_some()) {
            problems.push(wrong(format!("\"{key}\" cannot be a default"), format!("{place}/defaults/{key}")));
        }
        let members = members.get(name.as_str()).map_or(&[][..], Vec::as_slice);
        let who = Needing { kind: "group", name, runs_last: lasting.contains(name.as_str()), lasting };
        check_tasks(spec, who, (group, members), &place, problems);
    }
}

/// Checks that a group is there which a task or group lies in.
fn check_group(spec: &JobSpec, who: &str, group: Option<&str>, place: &str, problems: &mut Vec<Problem>) {
    let Some(group) = group.filter(|group| !spec.groups.contains_key(*group)) else { return };
    let message = format!("{who} lies in unknown group \"{}\"", shorten(group));
    let problem = Problem::new(ErrorCode::WorkflowUnknownTask, message).at(format!("{place}/group"));
    let hint = nearest(group, spec.groups.keys(), problems);
    let add = || Some(format!("add it: groups: {{{}: {{}}}}", shorten(group)));
    problems.push(Problem { hint: hint.or_else(add), ..problem });
}

fn check_nesting(spec: &JobSpec, name: &str, group: &GroupSpec, place: &str, problems: &mut Vec<Problem>) {
    let around: Vec<&str> = spec.groups_around(group.group.as_deref()).map(|(name, _)| name).collect();
    if around.contains(&name) {
        problems.push(wrong(format!("group \"{}\" lies in itself", shorten(name)), format!("{place}/group")));
    } else if around.len() >= GROUPS_DEEP_MAX {
        let message = format!("more than {GROUPS_DEEP_MAX} groups lie in each other");
        problems.push(wrong(message, format!("{place}/group")));
    }
}

/// Checks what a group says for its tasks.
fn check_tasks(
    spec: &JobSpec,
    who: Needing<'_>,
    (group, members): (&GroupSpec, &[&str]),
    place: &str,
    problems: &mut Vec<Problem>,
) {
    let name = who.name;
    let count = members.len();
    let runs_last = members.iter().filter(|task| spec.tasks[**task].finally).count();
    if count == 0 {
        let problem = wrong(format!("group \"{}\" has no task", shorten(name)), place);
        problems.push(problem.hint(format!("write group: {} in the tasks that lie in it", shorten(name))));
    } else if runs_last > 0 && runs_last < count {
        let message = format!("some tasks of group \"{}\" run last, and some do not", shorten(name));
        problems.push(wrong(message, place).hint("write finally: true in all of them, or make two groups"));
    }
    check_names(spec, who, group.needs_in_order(), place, problems);
    check_elsewhere(who, group.needs.as_ref(), place, problems);
    if who.runs_last && group.trigger_rule.is_some() {
        let message = "\"trigger_rule\" has no effect where all tasks of the group run last";
        problems.push(wrong(message, format!("{place}/trigger_rule")));
    }
}

fn place(of: &str, name: &str) -> String {
    format!("/{of}/{}", escape(name))
}
