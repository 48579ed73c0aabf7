//! Tasks between job file and definition.

use mainspring_api::{
    ErrorCode, HttpTask, JobSpec, OneOrMany, Problem, ScriptSpec, Status, Task, XxlGlue, XxlLanguage, XxlTask,
};
use mainspring_core::job;
use mainspring_tasks::{CallPart, HttpCall};

use super::defaults::unless_default;
use super::schedule::OrNote;
use super::texts::{duration_text, positive_ms};

/// Longest time an HTTP exchange takes if nothing is said.
const HTTP_TIMEOUT_MS: i64 = 30_000;
/// Redirects that are followed if nothing is said.
const REDIRECTS: u8 = 3;

/// Reads what a job does. Nothing if it says nothing or too much, which is for [`mainspring_api::check_job`] to say.
pub(super) fn task(spec: &JobSpec, problems: &mut Vec<Problem>) -> Option<job::Task> {
    Some(match spec.task()? {
        Task::Run(script) => job::Task::Run { script: script.to_owned(), shell: None },
        Task::Exec(argv) => job::Task::Exec { argv: argv.to_vec() },
        Task::Script(script) => job::Task::Script(script_of(script)),
        Task::Http(http) => job::Task::Http(self::http(http, problems)),
        Task::Handler(name) => job::Task::Handler { name: name.to_owned() },
        Task::Xxl(xxl) => job::Task::Xxl(self::xxl(xxl)),
        Task::Noop => job::Task::Noop,
    })
}

/// Writes what a job does.
pub(super) fn write_task(task: &job::Task, spec: &mut JobSpec) {
    match task {
        job::Task::Run { script, .. } => spec.run = Some(script.clone()),
        job::Task::Exec { argv } => spec.exec = Some(argv.clone()),
        job::Task::Script(script) => spec.script = Some(script_spec(script)),
        job::Task::Http(http) => spec.http = Some(http_spec(http)),
        job::Task::Handler { name } => spec.handler = Some(name.clone()),
        job::Task::Xxl(task) => spec.xxl = Some(xxl_spec(task)),
        job::Task::Noop => spec.noop = true,
        // Its tasks are written with what they inherit: elsewhere.
        job::Task::Workflow(_) => {}
    }
}

/// The script of a task, or of a component of a flow.
pub(super) fn script_of(spec: &ScriptSpec) -> job::ScriptTask {
    let ScriptSpec { language, source, args, xxl_args } = spec.clone();
    job::ScriptTask { language, source, args, xxl_args }
}

fn script_spec(task: &job::ScriptTask) -> ScriptSpec {
    let job::ScriptTask { language, source, args, xxl_args } = task.clone();
    ScriptSpec { language, source, args, xxl_args }
}

fn xxl(spec: &XxlTask) -> job::XxlTask {
    job::XxlTask {
        app: spec.app.clone(),
        handler: spec.handler.trim().to_owned(),
        glue: spec.glue.as_ref().map(|glue| job::Glue {
            language: glue.language.as_str().to_owned(),
            source: glue.source.clone(),
            remark: glue.remark.clone(),
        }),
        params: spec.params.clone().unwrap_or_default(),
        block: spec.block.unwrap_or_default(),
        id: spec.id,
    }
}

fn xxl_spec(task: &job::XxlTask) -> XxlTask {
    XxlTask {
        app: task.app.clone(),
        handler: task.handler.clone(),
        glue: task.glue.as_ref().and_then(|glue| {
            let language = XxlLanguage::parse(&glue.language)?;
            Some(XxlGlue { language, source: glue.source.clone(), remark: glue.remark.clone() })
        }),
        params: Some(task.params.clone()).filter(|params| !params.is_empty()),
        block: unless_default(task.block),
        id: task.id,
    }
}

/// The call of a task, or of a component of a flow.
pub(super) fn http_of(spec: &HttpTask, problems: &mut Vec<Problem>) -> job::HttpTask {
    http(spec, problems)
}

fn http(spec: &HttpTask, problems: &mut Vec<Problem>) -> job::HttpTask {
    let timeout = spec.timeout.as_deref().map(|text| positive_ms(text, "/http/timeout"));
    let timeout_ms = timeout.transpose().or_note(problems).flatten();
    let mut headers: Vec<(String, String)> = spec.headers.clone().into_iter().collect();
    let body = match &spec.body {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(text.clone()),
        Some(value) => {
            // Anything but text is sent as JSON, and says so.
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            }
            Some(value.to_string())
        }
    };
    headers.sort();
    problems.extend(unsendable(spec));
    job::HttpTask {
        method: spec.method.as_deref().unwrap_or("GET").to_owned(),
        url: spec.url.clone(),
        headers,
        body,
        expect: spec.expect.as_ref().map(ranges).unwrap_or_default(),
        timeout_ms: Some(timeout_ms.unwrap_or(HTTP_TIMEOUT_MS)),
        verify_tls: spec.verify_tls.unwrap_or(true),
        max_redirects: spec.max_redirects.and_then(|most| u8::try_from(most).ok()).filter(|most| *most != REDIRECTS),
    }
}

/// Finds what can never be sent. What is made when the task runs (`${{ … }}`) is read then.
fn unsendable(spec: &HttpTask) -> Vec<Problem> {
    let is_made = |text: &str| text.contains("${{");
    let headers = spec.headers.iter().filter(|(_, value)| !is_made(value));
    let call = HttpCall {
        method: spec.method.clone().unwrap_or_else(|| "GET".to_owned()),
        headers: headers.map(|(name, value)| (name.clone(), value.clone())).collect(),
        ..HttpCall::get(spec.url.clone())
    };
    let found = mainspring_tasks::unsendable(&call).into_iter();
    let found = found.filter(|(part, _)| *part != CallPart::Url || !is_made(&spec.url));
    found
        .map(|(part, message)| {
            let pointer = match part {
                CallPart::Url => "/http/url".to_owned(),
                CallPart::Method => "/http/method".to_owned(),
                CallPart::Header(name) => format!("/http/headers/{}", name.replace('~', "~0").replace('/', "~1")),
            };
            Problem::new(ErrorCode::FieldValue, message).at(pointer)
        })
        .collect()
}

fn http_spec(task: &job::HttpTask) -> HttpTask {
    let expect: Vec<Status> = task.expect.iter().flat_map(|range| statuses(*range)).collect();
    HttpTask {
        url: task.url.clone(),
        method: Some(task.method.clone()).filter(|method| method != "GET"),
        headers: task.headers.iter().cloned().collect(),
        body: task.body.clone().map(serde_json::Value::String),
        expect: match expect.len() {
            0 => None,
            1 => expect.into_iter().next().map(OneOrMany::One),
            _ => Some(OneOrMany::Many(expect)),
        },
        timeout: task.timeout_ms.filter(|ms| *ms != HTTP_TIMEOUT_MS).map(duration_text),
        verify_tls: (!task.verify_tls).then_some(false),
        max_redirects: task.max_redirects.map(u32::from),
    }
}

fn ranges(expect: &OneOrMany<Status>) -> Vec<(u16, u16)> {
    let range = |status: &Status| match status {
        Status::Code(code) => Some((*code, *code)),
        Status::Class(class) => class_range(class),
    };
    expect.as_slice().iter().filter_map(range).collect()
}

/// The codes of a class such as `2xx`.
pub(super) fn class_range(class: &str) -> Option<(u16, u16)> {
    let digit = class.chars().next()?.to_digit(10).and_then(|digit| u16::try_from(digit).ok())?;
    Some((digit * 100, digit * 100 + 99))
}

/// A range as job files can say it: a class, or one code after the other.
fn statuses((from, to): (u16, u16)) -> Vec<Status> {
    if from % 100 == 0 && to == from + 99 {
        return vec![Status::Class(format!("{}xx", from / 100))];
    }
    (from..=to).map(Status::Code).collect()
}
