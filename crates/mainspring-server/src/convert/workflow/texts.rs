//! Expressions in the texts of a task: that they can be read, and that what they name is there.

use mainspring_api::{ErrorCode, JobSpec, NeedSpec, OneOrMany, Problem, TaskSpec, did_you_mean};
use mainspring_core::workflow::expression::{self, ExpressionError};
use serde_json::Value;

/// Members of `run`.
const RUN: [&str; 2] = ["id", "logical_date"];
/// Members of `map`.
const MAP: [&str; 2] = ["item", "index"];
/// What expressions see.
const ROOTS: [&str; 5] = ["needs", "params", "matrix", "map", "run"];
/// Stands for the name of a task where the outputs of a workflow are meant; no task is called so.
const OUTPUTS: &str = "/outputs";
/// What the language itself has.
const BUILT_IN: [&str; 4] = ["range", "dict", "namespace", "loop"];

/// Checks all texts of a task. Pointers begin at the task; `alone` is the task with what it inherits.
pub(super) fn check(spec: &JobSpec, name: &str, task: &TaskSpec, alone: &JobSpec, problems: &mut Vec<Problem>) {
    let scope = Scope { spec, name, task };
    for (key, text) in [("/if", &task.condition), ("/map", &task.map)] {
        let Some(text) = text else { continue };
        match expression::check_expression(text) {
            Ok(()) => scope.check(text, key, false, problems),
            Err(error) => problems.push(unreadable(&error, key)),
        }
    }
    let until = task.wait.as_ref().and_then(|wait| wait.until.as_ref());
    let prompt = task.approval.as_ref().map(|approval| &approval.prompt);
    for (key, text) in [("/wait/until", until), ("/approval/prompt", prompt)] {
        text.iter().for_each(|text| scope.check(text, key, false, problems));
    }
    each_text(alone, &mut |pointer, text| scope.check(text, pointer, true, problems));
    for (name, value) in &task.inputs {
        each_text_of(value, &format!("/inputs/{name}"), &mut |pointer, text| {
            scope.check(text, pointer, true, problems)
        });
    }
}

/// Checks the outputs of a workflow, which see all of its tasks.
pub(super) fn check_outputs(spec: &JobSpec, problems: &mut Vec<Problem>) {
    if spec.outputs.is_empty() {
        return;
    }
    let all = TaskSpec {
        needs: Some(OneOrMany::Many(spec.tasks.keys().cloned().map(NeedSpec::Task).collect())),
        ..TaskSpec::default()
    };
    let scope = Scope { spec, name: OUTPUTS, task: &all };
    for (name, text) in &spec.outputs {
        scope.check(text, &format!("/outputs/{name}"), false, problems);
    }
}

/// Warns of shell lines that values are spliced into.
pub(super) fn shell_lines(spec: &JobSpec) -> impl Iterator<Item = Problem> {
    let spliced = |text: &String| expression::names(text).is_ok_and(|names| !names.is_empty());
    let tasks = spec.tasks.iter().filter(move |(_, task)| task.run.as_ref().is_some_and(spliced));
    tasks.map(|(name, _)| {
        let message = format!("values become part of the shell line of task \"{name}\"");
        let problem = Problem::new(ErrorCode::WorkflowShellText, message).at(format!("/tasks/{name}/run"));
        problem.hint("put them into env, and write \"$NAME\" in the line")
    })
}

struct Scope<'a> {
    spec: &'a JobSpec,
    name: &'a str,
    task: &'a TaskSpec,
}

impl Scope<'_> {
    /// Checks one text. Only with `spread` is it known which run of a matrix or map it is for.
    fn check(&self, text: &str, pointer: &str, spread: bool, problems: &mut Vec<Problem>) {
        let names = match expression::names(text) {
            Ok(names) => names,
            Err(error) => return problems.push(unreadable(&error, pointer)),
        };
        for name in names {
            let parts: Vec<&str> = name.split('.').collect();
            if let Err((message, hint)) = self.find(&parts, spread) {
                let problem = Problem::new(ErrorCode::WorkflowExpression, message).at(pointer);
                problems.push(Problem { hint, ..problem });
            }
        }
    }

    /// Whether there is what a name stands for.
    fn find(&self, parts: &[&str], spread: bool) -> Result<(), (String, Option<String>)> {
        let member = |of: &str, known: &[&str]| match parts.get(1) {
            Some(part) if !known.contains(part) => Err(unknown(of, part, known)),
            _ => Ok(()),
        };
        match parts[0] {
            "needs" => self.find_need(&parts[1..]),
            "params" => member("params", &self.params()),
            "matrix" | "map" if !spread => Err((format!("\"{}\" is not known yet when this is asked", parts[0]), None)),
            "matrix" => member("matrix", &self.task.matrix.keys().map(String::as_str).collect::<Vec<_>>()),
            "map" if self.task.map.is_none() => Err(("the task has no map".to_owned(), None)),
            "map" => member("map", &MAP),
            "run" => member("run", &RUN),
            root if BUILT_IN.contains(&root) => Ok(()),
            root => {
                let message = format!("there is no \"{root}\": expressions see {}", ROOTS.join(", "));
                Err((message, did_you_mean(root, ROOTS)))
            }
        }
    }

    fn find_need(&self, parts: &[&str]) -> Result<(), (String, Option<String>)> {
        let Some(need) = parts.first() else { return Ok(()) };
        let needed: Vec<&str> = self.task.needs_in_order().map(|(_, need)| need).collect();
        if !needed.contains(need) && self.name == OUTPUTS {
            return Err((format!("there is no task \"{need}\""), did_you_mean(need, needed)));
        }
        if !needed.contains(need) {
            let kind = if self.spec.groups.contains_key(self.name) { "group" } else { "task" };
            let message = format!("{kind} \"{}\" does not need \"{need}\"", self.name);
            return Err((message, did_you_mean(need, needed).or_else(|| Some("add it to needs".to_owned()))));
        }
        let outputs =
            self.spec.tasks.get(*need).map(|task| task.outputs.iter().map(String::as_str).collect::<Vec<_>>());
        match parts.get(1..).unwrap_or_default() {
            [] | ["state" | "outputs"] => Ok(()),
            ["outputs", output, ..] => match outputs {
                Some(outputs) if !outputs.contains(output) => {
                    let message = format!("task \"{need}\" declares no output \"{output}\"");
                    let add = || Some(format!("add outputs: [{output}] to \"{need}\""));
                    Err((message, did_you_mean(output, outputs).or_else(add)))
                }
                _ => Ok(()),
            },
            [other, ..] => Err(unknown(&format!("needs.{need}"), other, &["state", "outputs"])),
        }
    }

    fn params(&self) -> Vec<&str> {
        let members = self.spec.input.as_ref().and_then(Value::as_object).into_iter().flat_map(|input| input.keys());
        self.spec.params.keys().chain(members).map(String::as_str).collect()
    }
}

fn unknown(of: &str, part: &str, known: &[&str]) -> (String, Option<String>) {
    let message = match known {
        [] => format!("\"{of}\" has no \"{part}\": it is empty"),
        known => format!("\"{of}\" has no \"{part}\": it has {}", known.join(", ")),
    };
    (message, did_you_mean(part, known.iter().copied()))
}

fn unreadable(error: &ExpressionError, pointer: &str) -> Problem {
    Problem::new(ErrorCode::WorkflowExpression, error.to_string()).at(pointer)
}

/// Visits the texts of a task in which expressions are replaced.
fn each_text(alone: &JobSpec, visit: &mut dyn FnMut(&str, &str)) {
    for (name, value) in &alone.env {
        visit(&format!("/env/{name}"), value);
    }
    if let Some(line) = &alone.run {
        visit("/run", line);
    }
    for (index, argument) in alone.exec.iter().flatten().enumerate() {
        visit(&format!("/exec/{index}"), argument);
    }
    if let Some(script) = &alone.script {
        visit("/script/source", &script.source);
        for (index, argument) in script.args.iter().enumerate() {
            visit(&format!("/script/args/{index}"), argument);
        }
    }
    if let Some(http) = &alone.http {
        visit("/http/url", &http.url);
        for (name, value) in &http.headers {
            visit(&format!("/http/headers/{name}"), value);
        }
        http.body.iter().for_each(|body| each_text_of(body, "/http/body", visit));
    }
    alone.input.iter().for_each(|input| each_text_of(input, "/input", visit));
}

fn each_text_of(value: &Value, pointer: &str, visit: &mut dyn FnMut(&str, &str)) {
    let mut open = vec![(pointer.to_owned(), value)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::String(text) => visit(&pointer, text),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            Value::Object(members) => {
                let token = |key: &str| key.replace('~', "~0").replace('/', "~1");
                open.extend(members.iter().map(|(key, item)| (format!("{pointer}/{}", token(key)), item)));
            }
            _ => {}
        }
    }
}
