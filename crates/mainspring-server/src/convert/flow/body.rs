//! Bodies of components.

use mainspring_api::{ComponentSpec, ErrorCode, FileConflict, Problem};
use mainspring_core::flow::Body;
use mainspring_core::flow::body::{
    Content, FileIn, FileOut, HttpBody, Merge, OnConflict, Process, Program, Split, Wait,
};
use mainspring_core::workflow::expression;

use super::super::texts::duration_ms;

/// How long a file must not have changed if nothing is said.
const SETTLED_MS: i64 = 1_000;

pub(super) fn body(it: &ComponentSpec, problems: &mut Vec<Problem>) -> Body {
    let mut unread = Vec::new();
    let body = read(it, problems, &mut unread);
    let wrong = |(pointer, error): (String, expression::ExpressionError)| {
        Problem::new(ErrorCode::WorkflowExpression, error.to_string()).at(pointer)
    };
    problems.extend(unread.into_iter().map(wrong));
    body
}

fn read(
    it: &ComponentSpec,
    problems: &mut Vec<Problem>,
    unread: &mut Vec<(String, expression::ExpressionError)>,
) -> Body {
    let mut unreadable = |pointer: String, error| unread.push((pointer, error));
    let process = |program| Process {
        program,
        env: it.env.clone(),
        working_dir: it.working_dir.clone(),
        timeout_ms: it.timeout.as_deref().and_then(|text| duration_ms(text, "").ok()),
    };
    if let Some(line) = &it.run {
        return Body::Process(process(Program::Shell(line.clone())));
    }
    if let Some(argv) = &it.exec {
        return Body::Process(process(Program::Argv(argv.clone())));
    }
    if let Some(script) = &it.script {
        return Body::Process(process(Program::Script(super::super::task::script_of(script))));
    }
    if let Some(it) = &it.generate {
        let payload = it.payload.clone().unwrap_or_default().into_bytes();
        let content = Content { attributes: it.attributes.clone(), payload };
        return Body::Generate { content, count: it.count.unwrap_or(1) };
    }
    if let Some(it) = &it.log {
        if let Some(Err(error)) = it.message.as_deref().map(expression::names) {
            unreadable("/log/message".to_owned(), error);
        }
        return Body::Log { message: it.message.clone() };
    }
    if let Some(routes) = &it.route {
        for (index, route) in routes.iter().enumerate() {
            if let Err(error) = expression::check_expression(&route.condition) {
                unreadable(format!("/route/{index}/if"), error);
            }
        }
        return Body::Route { routes: routes.iter().map(|it| (it.to.clone(), it.condition.clone())).collect() };
    }
    if let Some(call) = &it.http {
        let parts = [("url", Some(&call.url)), ("body", call.body.as_ref().and_then(text))];
        let headers = call.headers.iter().map(|(name, value)| (format!("headers/{name}"), Some(value)));
        for (key, text) in parts.into_iter().map(|(key, text)| (key.to_owned(), text)).chain(headers) {
            if let Some(Err(error)) = text.map(|text| expression::names(text)) {
                unreadable(format!("/http/{key}"), error);
            }
        }
        return Body::Http(HttpBody { call: super::super::task::http_of(call, problems) });
    }
    if let Some(wait) = &it.wait {
        if let Some(Err(error)) = wait.until.as_deref().map(expression::names) {
            unreadable("/wait/until".to_owned(), error);
        }
        let waits = wait.duration.as_deref().map(|text| duration_ms(text, "/wait/for")).transpose();
        let waits_ms = waits.unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        return Body::Wait(match &wait.until {
            Some(until) => Wait::Until(until.clone()),
            None => Wait::For(waits_ms.unwrap_or(0)),
        });
    }
    if let Some(out) = &it.file_out {
        if let Err(error) = expression::names(&out.name) {
            unreadable("/file_out/name".to_owned(), error);
        }
        return Body::FileOut(FileOut {
            folder: out.folder.clone(),
            name: out.name.clone(),
            on_conflict: match out.on_conflict.unwrap_or_default() {
                FileConflict::Replace => OnConflict::Replace,
                FileConflict::Fail => OnConflict::Fail,
                FileConflict::Append => OnConflict::Append,
            },
        });
    }
    if let Some(files) = &it.file_in {
        let settled = files.settled.as_deref().map(|text| duration_ms(text, "/file_in/settled")).transpose();
        return Body::FileIn(FileIn {
            folder: files.folder.clone(),
            name: files.name.clone(),
            settled_ms: settled
                .unwrap_or_else(|problem| {
                    problems.push(problem);
                    None
                })
                .unwrap_or(SETTLED_MS),
            move_to: files.move_to.clone(),
            max_files: files.max_files.unwrap_or(10),
            max_bytes: files.max_bytes.unwrap_or(16 << 20),
        });
    }
    plain(it)
}

/// Bodies in which nothing has to be read.
fn plain(it: &ComponentSpec) -> Body {
    if let Some(job) = &it.run_job {
        return Body::RunJob { job: job.clone() };
    }
    if let Some(name) = &it.handler {
        return Body::Handler { name: name.clone() };
    }
    if let Some(it) = &it.http_in {
        return Body::HttpIn { max_bytes: it.max_bytes.unwrap_or(1 << 20) };
    }
    if let Some(it) = &it.split {
        return Body::Split(match (&it.separator, it.lines) {
            (Some(separator), _) => Split::Separator(separator.clone()),
            (None, Some(lines)) => Split::Lines(lines),
            (None, None) => Split::Json,
        });
    }
    if let Some(it) = &it.merge {
        let separator = it.separator.clone().unwrap_or_else(|| "\n".to_owned());
        return Body::Merge(Merge { separator, by: it.by.clone() });
    }
    Body::Funnel
}

const fn text(value: &serde_json::Value) -> Option<&String> {
    match value {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    }
}
