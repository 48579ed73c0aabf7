//! Rules of a job beyond its triggers.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::name::name_problem;
use crate::document::{escape, shorten};
use crate::spec::{HttpTask, ParamSpec, ParamType, Status};
use crate::{Backoff, ErrorCode, JobSpec, Overlap, Problem, RetryOn, Routing, Task};

/// Checks that there is exactly one task, and that it is whole.
pub(super) fn check_task(spec: &JobSpec, problems: &mut Vec<Problem>) {
    let tasks = [
        ("run", spec.run.is_some()),
        ("exec", spec.exec.is_some()),
        ("script", spec.script.is_some()),
        ("http", spec.http.is_some()),
        ("handler", spec.handler.is_some()),
        ("xxl", spec.xxl.is_some()),
        ("noop", spec.noop),
        ("tasks", !spec.tasks.is_empty()),
    ];
    let set: Vec<_> = tasks.into_iter().filter_map(|(key, is_set)| is_set.then_some(key)).collect();
    match set.as_slice() {
        [] => problems.push(Problem::new(
            ErrorCode::JobNoTask,
            format!("job \"{}\" needs one of run, exec, script, http, handler, xxl, noop", shorten(&spec.name)),
        )),
        [_] => {}
        [_, second, ..] => problems.push(
            Problem::new(ErrorCode::JobTwoTasks, format!("job \"{}\" has {}", shorten(&spec.name), set.join(" and ")))
                .at(format!("/{second}"))
                .hint("keep one of them, or make a job of each"),
        ),
    }
    match spec.task() {
        Some(Task::Run(line)) if line.trim().is_empty() => problems.push(empty("run")),
        Some(Task::Exec(argv)) if argv.first().is_none_or(String::is_empty) => problems.push(empty("exec")),
        Some(Task::Script(script)) => super::script::check(script, "/script", problems),
        Some(Task::Handler(name)) if name.trim().is_empty() => problems.push(empty("handler")),
        Some(Task::Http(http)) => check_http(http, problems),
        Some(Task::Xxl(xxl)) => super::xxl::check(xxl, spec, problems),
        _ => {}
    }
}

/// Checks that policies agree with each other and with the task.
pub(super) fn check_policies(spec: &JobSpec, problems: &mut Vec<Problem>) {
    if spec.max_active.is_some() && spec.overlap_policy() == Overlap::Allow {
        problems.push(
            wrong_value("\"max_active\" has no effect with overlap allow", "/max_active")
                .hint("add overlap: skip, hold, queue_one, queue_all or cancel_running; or remove max_active"),
        );
    }
    check_retries(spec, problems);
    let is_process = matches!(spec.task(), None | Some(Task::Run(_) | Task::Exec(_) | Task::Script(_)));
    for (key, is_set) in [("env", !spec.env.is_empty()), ("working_dir", spec.working_dir.is_some())] {
        if is_set && !is_process {
            problems.push(wrong_value(
                format!("\"{key}\" has an effect with run, exec and script only"),
                format!("/{key}"),
            ));
        }
    }
    if let Some(queue) = &spec.queue {
        name_problem("/queue", queue, problems);
    }
    if spec.owner.as_ref().is_some_and(|owner| !is_owner(owner)) {
        let hint = "name a person or a team, as in owner: data-platform";
        problems.push(wrong_value("an owner is a line of 1 to 128 characters", "/owner").hint(hint));
    }
    check_routing(spec, problems);
}

/// Whether a text can name an owner.
fn is_owner(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= 128 && !text.chars().any(char::is_control)
}

/// Checks which workers get runs.
fn check_routing(spec: &JobSpec, problems: &mut Vec<Problem>) {
    let is_routed = spec.routing.is_some() || !spec.workers.is_empty() || spec.routing_key.is_some();
    let queue = spec.queue.as_deref().unwrap_or_default();
    if is_routed && queue.len() > ROUTED_QUEUE_MAX {
        let message =
            format!("the queue of a routed job has at most {ROUTED_QUEUE_MAX} bytes, this one {}", queue.len());
        problems.push(wrong_value(message, "/queue").hint("give the queue a shorter name"));
    }
    let Some(key) = &spec.routing_key else { return };
    if key.is_empty() || key.len() > 256 {
        let hint = "name a member of the input, as in customer, or give a JSON pointer, as in /order/customer";
        problems.push(wrong_value("the place of a key has 1 to 256 bytes", "/routing_key").hint(hint));
    }
    if !matches!(spec.routing, None | Some(Routing::Any | Routing::ConsistentHash)) {
        let message = "\"routing_key\" has an effect with routing consistent_hash only";
        problems.push(wrong_value(message, "/routing_key").hint("remove it, or write routing: consistent_hash"));
    }
}

/// The longest name of a queue of routed jobs, in bytes.
const ROUTED_QUEUE_MAX: usize = 120;

/// Checks what follows a failed attempt.
fn check_retries(spec: &JobSpec, problems: &mut Vec<Problem>) {
    if spec.retry_max_delay.is_some() && spec.retry_backoff.unwrap_or_default() == Backoff::Fixed {
        let message = "\"retry_max_delay\" has no effect where the pause does not grow";
        problems.push(wrong_value(message, "/retry_max_delay").hint("add retry_backoff: exponential; or remove it"));
    }
    let failures = spec.retry_on.iter().flat_map(|on| on.places("/retry_on"));
    problems.extend(failures.filter_map(|(pointer, on)| retry_problem(spec.task(), on, pointer)));
}

fn retry_problem(task: Option<Task<'_>>, on: &RetryOn, pointer: String) -> Option<Problem> {
    let is_http = matches!(task, Some(Task::Http(_)));
    let process = matches!(task, Some(Task::Run(_) | Task::Exec(_) | Task::Script(_)));
    let is_xxl = matches!(task, Some(Task::Xxl(_)));
    let known = match on {
        RetryOn::Word(word) if word == RetryOn::TIMED_OUT || word == RetryOn::ERROR => true,
        RetryOn::Word(word) if word == "lost" => {
            let hint = "write on_lost: retry; it holds whatever retry_on says";
            return Some(wrong_value("lost attempts are not for retry_on", pointer).hint(hint));
        }
        RetryOn::Word(class) => is_http && Status::class_digit(class).is_some(),
        RetryOn::Code(code) => {
            is_http && (100..=599).contains(code) || process && (1..=255).contains(code) || is_xxl && *code > 0
        }
    };
    let text = match on {
        RetryOn::Code(code) => code.to_string(),
        RetryOn::Word(word) => format!("\"{}\"", shorten(word)),
    };
    // A job without a task, or with two, has a problem of its own.
    (!known && task.is_some()).then(|| {
        let expected = match (is_http, process) {
            (true, _) => "a status (100 to 599), a class (\"1xx\" to \"5xx\"), timed_out or error",
            (_, true) => "an exit code (1 to 255), timed_out or error",
            _ => "timed_out or error",
        };
        wrong_value(format!("{text} is no failure of this task: {expected}"), pointer)
    })
}

/// Checks labels, environment and parameters.
pub(super) fn check_values(spec: &JobSpec, problems: &mut Vec<Problem>) {
    let labels = spec.labels.iter().map(|label| ("/labels", label));
    for (pointer, (key, value)) in labels.chain(spec.workers.iter().map(|label| ("/workers", label))) {
        let key_fits =
            !key.is_empty() && key.len() <= 128 && !key.contains(|c: char| c == '=' || c == ',' || c.is_whitespace());
        if !key_fits || value.len() > 256 {
            let message = format!("label \"{}\" is not allowed", shorten(key));
            let hint = "keys have 1 to 128 bytes without space, ',' and '='; values 256 bytes at most";
            problems.push(wrong_value(message, format!("{pointer}/{}", escape(key))).hint(hint));
        }
    }
    for key in spec.env.keys() {
        let pointer = format!("/env/{}", escape(key));
        if key.is_empty() || key.contains('=') {
            problems.push(wrong_value(format!("\"{}\" cannot name a variable", shorten(key)), pointer));
        } else if key.starts_with("MS_") {
            problems.push(wrong_value(format!("variable \"{}\" is set by mainspring", shorten(key)), pointer));
        }
    }
    for (name, param) in &spec.params {
        check_param(name, param, problems);
    }
    let own = |name: &str| spec.input.as_ref().is_some_and(|input| input.get(name).is_some());
    let lacking = triggers_lack(spec);
    let missing = spec.params.iter().filter(|(name, param)| param.is_missing() && !own(name));
    for (name, _) in missing.filter(|(name, _)| lacking.contains(name.as_str())) {
        let message = format!("scheduled runs have no value for parameter \"{}\"", shorten(name));
        let pointer = format!("/params/{}/required", escape(name));
        problems.push(wrong_value(message, pointer).hint("give it a default, or a value in input"));
    }
    let takes_members = matches!(spec.input, None | Some(Value::Object(_)));
    if !spec.params.is_empty() && !takes_members {
        problems.push(wrong_value("\"params\" are members of \"input\", so it must be a mapping", "/input"));
    }
}

/// Returns the parameters that some trigger does not give to its runs.
fn triggers_lack(spec: &JobSpec) -> HashSet<&str> {
    let triggers = spec.triggers_as_written();
    let mut givers: HashMap<&str, usize> = spec.params.keys().map(|name| (name.as_str(), 0)).collect();
    for members in triggers.iter().filter_map(|(_, trigger)| trigger.input.as_ref()?.as_object()) {
        for name in members.keys() {
            if let Some(count) = givers.get_mut(name.as_str()) {
                *count += 1;
            }
        }
    }
    givers.into_iter().filter(|(_, count)| *count < triggers.len()).map(|(name, _)| name).collect()
}

fn check_param(name: &str, param: &ParamSpec, problems: &mut Vec<Problem>) {
    let pointer = format!("/params/{}", escape(name));
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts_well = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if !starts_well || name.len() > 128 || !name.bytes().all(fits) {
        let message = format!("\"{}\" cannot name a parameter", shorten(name));
        let hint = "write letters, digits and '_', not beginning with a digit";
        problems.push(wrong_value(message, pointer.clone()).hint(hint));
    }
    for (index, value) in param.values.iter().enumerate() {
        if !param.kind.is_none_or(|kind| kind.accepts(value)) {
            problems.push(wrong_value(
                format!("{value} is not of the parameter's type"),
                format!("{pointer}/enum/{index}"),
            ));
        }
    }
    if let Some(default) = &param.default
        && !param.accepts(default)
    {
        problems.push(wrong_value("the default is not a value that the parameter takes", format!("{pointer}/default")));
    }
}

impl ParamSpec {
    /// Tells whether a value is of the parameter's type and among those allowed.
    pub fn accepts(&self, value: &Value) -> bool {
        let type_fits = self.kind.is_none_or(|kind| kind.accepts(value));
        type_fits && (self.values.is_empty() || self.values.contains(value))
    }
}

impl ParamType {
    /// Tells whether a value is of the type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
        }
    }
}

pub(super) fn check_http(http: &HttpTask, problems: &mut Vec<Problem>) {
    let has_host = |rest: &str| !rest.is_empty() && !rest.starts_with('/');
    let rest = http.url.strip_prefix("http://").or_else(|| http.url.strip_prefix("https://"));
    if !rest.is_some_and(has_host) || http.url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let message = format!("\"{}\" is not an http:// or https:// address", shorten(&http.url));
        problems.push(wrong_value(message, "/http/url"));
    }
    if let Some(method) = http.method.as_deref().filter(|method| !is_token(method)) {
        problems.push(wrong_value(format!("\"{}\" is not an HTTP method", shorten(method)), "/http/method"));
    }
    for (name, value) in &http.headers {
        let value_fits = !value.contains(|c: char| c.is_control() && c != '\t');
        if !is_token(name) || !value_fits {
            let message = format!("header \"{}\" is not allowed", shorten(name));
            problems.push(wrong_value(message, format!("/http/headers/{}", escape(name))));
        }
    }
    let expected = http.expect.iter().flat_map(|expect| expect.places("/http/expect"));
    for (pointer, status) in expected.filter(|(_, status)| !is_status(status)) {
        let text = match status {
            Status::Code(code) => code.to_string(),
            Status::Class(class) => format!("\"{}\"", shorten(class)),
        };
        let message = format!("{text} is neither a status (100 to 599) nor a class (\"1xx\" to \"5xx\")");
        problems.push(wrong_value(message, pointer));
    }
}

fn is_status(status: &Status) -> bool {
    match status {
        Status::Code(code) => (100..=599).contains(code),
        Status::Class(class) => Status::class_digit(class).is_some(),
    }
}

/// Tells whether a text is a token of RFC 9110.
fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= 256 && text.bytes().all(fits)
}

fn empty(key: &str) -> Problem {
    wrong_value(format!("\"{key}\" is empty"), format!("/{key}"))
}

fn wrong_value(message: impl Into<String>, pointer: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::FieldValue, message).at(pointer)
}
