//! What tasks need of other workflows: in the graph, a task of its own waits for it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mainspring_api::{ElsewhereSpec, ErrorCode, JobSpec, NeedSpec, OneOrMany, Problem, TaskSpec};
use mainspring_core::workflow::{At, Elsewhere};

use crate::convert::defaults::unless_default;
use crate::convert::texts::{duration_ms, duration_text, positive_ms};

/// Returns a workflow with a task for each thing that its tasks need of other workflows, which they need by its name. What cannot be read
/// is a problem, and left out.
pub(super) fn expand<'a>(spec: &'a JobSpec, problems: &mut Vec<Problem>) -> Cow<'a, JobSpec> {
    let of_groups = spec.groups.values().map(|group| group.needs.as_ref());
    let mut all = spec.tasks.values().map(|task| task.needs.as_ref()).chain(of_groups);
    if !all.any(|needs| NeedSpec::elsewhere(needs).next().is_some()) {
        return Cow::Borrowed(spec);
    }
    let mut expanded = spec.clone();
    let mut names = Names { problems, first: BTreeMap::new() };
    for (name, task) in &spec.tasks {
        let needs = names.of(&format!("task \"{name}\""), task.needs.as_ref(), &format!("/tasks/{name}"));
        if let Some(task) = expanded.tasks.get_mut(name) {
            task.needs = needs;
        }
    }
    for (name, group) in &spec.groups {
        let needs = names.of(&format!("group \"{name}\""), group.needs.as_ref(), &format!("/groups/{name}"));
        if let Some(group) = expanded.groups.get_mut(name) {
            group.needs = needs;
        }
    }
    for (one, _) in names.first.values() {
        let waits = TaskSpec { elsewhere: Some(write(one)), ..TaskSpec::default() };
        expanded.tasks.insert(one.name(), waits);
    }
    Cow::Owned(expanded)
}

/// The names of what is needed of other workflows.
struct Names<'a> {
    problems: &'a mut Vec<Problem>,
    /// The first of each, and how that was spelled.
    first: BTreeMap<String, (Elsewhere, String)>,
}

impl Names<'_> {
    /// Returns the needs of a task or group with names in the place of what they need of other workflows.
    fn of(&mut self, who: &str, needs: Option<&OneOrMany<NeedSpec>>, place: &str) -> Option<OneOrMany<NeedSpec>> {
        let needs = needs?;
        let mut places = NeedSpec::elsewhere(Some(needs)).map(|(found, _)| format!("{place}{found}"));
        let mut named = Vec::with_capacity(needs.as_slice().len());
        for need in needs.as_slice() {
            let NeedSpec::Elsewhere(need) = need else {
                named.push(need.clone());
                continue;
            };
            let place = places.next().unwrap_or_default();
            let known = match read(need, &place) {
                Ok(known) => known,
                Err(problem) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            let node = NeedSpec::Task(known.name());
            let (one, spelled) = &*self.first.entry(known.name()).or_insert_with(|| (known.clone(), need.node()));
            // Where both are spelled alike, whoever looks at the text finds it.
            if *spelled != need.node() {
                self.problems.extend(other_spelling(
                    who,
                    need,
                    (&known, one, spelled.as_str()),
                    named.contains(&node),
                    place,
                ));
            }
            if !named.contains(&node) {
                named.push(node);
            }
        }
        // One alone is at the place of the whole.
        match (needs, named.pop()) {
            (OneOrMany::One(_), one) => one.map(OneOrMany::One),
            (OneOrMany::Many(_), last) => {
                named.extend(last);
                Some(OneOrMany::Many(named))
            }
        }
    }
}

/// What is wrong with a need that another one spells differently, such as `1d` and `24h`.
fn other_spelling(
    who: &str,
    need: &ElsewhereSpec,
    (known, first, spelled): (&Elsewhere, &Elsewhere, &str),
    is_twice: bool,
    place: String,
) -> Option<Problem> {
    let node = need.node();
    if is_twice {
        let message = format!("{who} needs \"{node}\" twice: it is the same as \"{spelled}\"");
        return Some(Problem::new(ErrorCode::FieldValue, message).at(place));
    }
    let message = format!("\"{node}\" is needed by another task as \"{spelled}\", with another timeout or on_missing");
    let problem = Problem::new(ErrorCode::FieldValue, message).at(place);
    (known != first).then(|| problem.hint("write the same for both"))
}

/// Reads what is needed. What [`mainspring_api::check_job`] finds is not found here.
pub(super) fn read(spec: &ElsewhereSpec, place: &str) -> Result<Elsewhere, Problem> {
    let timeout = spec.timeout.as_deref().map(|text| positive_ms(text, &format!("{place}/timeout")));
    Ok(Elsewhere {
        workflow: spec.workflow.clone(),
        task: spec.task.clone(),
        at: match &spec.offset {
            Some(text) => At::Offset(offset(text, &format!("{place}/offset"))?),
            None => At::Word(spec.at.unwrap_or_default()),
        },
        on_missing: spec.on_missing.unwrap_or_default(),
        timeout_ms: timeout.transpose()?,
    })
}

fn offset(text: &str, place: &str) -> Result<i64, Problem> {
    match text.strip_prefix('-') {
        Some(text) => duration_ms(text, place).map(|ms| -ms),
        None => duration_ms(text.strip_prefix('+').unwrap_or(text), place),
    }
}

/// Writes what is needed.
pub(super) fn write(need: &Elsewhere) -> ElsewhereSpec {
    let (at, offset) = match need.at {
        At::Word(word) => (unless_default(word), None),
        At::Offset(ms) if ms < 0 => (None, Some(format!("-{}", duration_text(-ms)))),
        At::Offset(ms) => (None, Some(duration_text(ms))),
    };
    ElsewhereSpec {
        workflow: need.workflow.clone(),
        task: need.task.clone(),
        at,
        offset,
        on_missing: unless_default(need.on_missing),
        timeout: need.timeout_ms.map(duration_text),
    }
}
