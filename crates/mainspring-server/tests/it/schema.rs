//! The schema of job files says what the product takes: each bound, each word and each member is tried.

use mainspring_api::{Bundle, ErrorCode, Limits, Problem, json_schema, read_body};
use mainspring_server::convert::{self, Known, Surroundings};
use serde_json::{Map, Value, json};

/// A member of a type of the schema.
struct Member {
    name: String,
    schema: Value,
}

#[test]
fn what_the_schema_allows_is_taken_and_nothing_beyond() {
    for Member { name, schema } in members() {
        for value in allowed(&name, &schema) {
            let document = document(&name, &value);
            let problems = read(&document);
            assert!(problems.is_empty(), "{name}: {value} is allowed by the schema: {problems:?}\n{document}");
        }
        for value in beyond(&schema) {
            let document = document(&name, &value);
            let problems = read(&document);
            assert!(!problems.is_empty(), "{name}: {value} is beyond the schema\n{document}");
        }
    }
}

#[test]
fn nothing_that_the_schema_names_is_for_later() {
    for Member { name, schema } in members() {
        for value in allowed(&name, &schema) {
            let problems = read(&document(&name, &value));
            let later = problems.iter().find(|problem| problem.code == ErrorCode::FieldLater.as_str());
            assert!(later.is_none(), "{name}: {later:?}");
        }
    }
}

fn read(document: &Value) -> Vec<Problem> {
    let text = serde_json::to_vec(document).unwrap();
    let bundle: Bundle = match read_body(&text, Limits::APPLY) {
        Ok(bundle) => bundle,
        Err(problems) => return problems,
    };
    let around = Surroundings {
        namespace: "default",
        timezone: "UTC",
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        calendars: &|_, _| Known::Unknown,
        line: convert::NO_LINES,
    };
    convert::bundle(&bundle, &around).err().unwrap_or_default()
}

fn members() -> Vec<Member> {
    let root: Value = serde_json::from_str(&json_schema()).unwrap();
    let mut found = Vec::new();
    for (of, definition) in root["$defs"].as_object().unwrap() {
        for (member, schema) in definition["properties"].as_object().into_iter().flatten() {
            found.push(Member { name: format!("{of}.{member}"), schema: resolved(&root, schema) });
        }
    }
    assert!(found.len() > 60, "the schema was not understood");
    found
}

/// The schema of a member with what it refers to in its place, but for null and for types with members of their own.
fn resolved(root: &Value, schema: &Value) -> Value {
    let branches = schema["anyOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
    let mut merged = Map::new();
    for branch in branches {
        let target = branch["$ref"].as_str().and_then(|pointer| root.pointer(pointer.trim_start_matches('#')));
        let own = target.unwrap_or(&branch).as_object().cloned().unwrap_or_default();
        if own.get("type") != Some(&json!("null")) && !own.contains_key("properties") {
            merged.extend(own);
        }
    }
    merged.into()
}

/// Values at the edges of what a member takes, as far as its schema tells.
fn allowed(name: &str, schema: &Value) -> Vec<Value> {
    let words = words(schema);
    if !words.is_empty() {
        return words;
    }
    if let Some(example) = example(name) {
        return vec![example];
    }
    let has =
        |kind: &str| schema["type"] == kind || schema["type"].as_array().is_some_and(|it| it.contains(&json!(kind)));
    if has("boolean") {
        return vec![true.into(), false.into()];
    }
    if has("integer") {
        let (least, most) = range(schema);
        return vec![least.into(), (least + 1).min(most).into(), most.into()];
    }
    panic!("say here what is an example of {name}: {schema}")
}

fn beyond(schema: &Value) -> Vec<Value> {
    if !words(schema).is_empty() {
        return vec!["no-such-word".into()];
    }
    let number = |key: &str, step: i64| schema[key].as_i64().map(|bound| Value::from(bound + step));
    number("minimum", -1).into_iter().chain(number("maximum", 1)).collect()
}

fn words(schema: &Value) -> Vec<Value> {
    let own = schema["enum"].as_array().cloned().unwrap_or_default();
    let named = schema["oneOf"].as_array().into_iter().flatten().filter_map(|branch| branch.get("const").cloned());
    own.into_iter().filter(|word| !word.is_null()).chain(named).collect()
}

fn range(schema: &Value) -> (i64, i64) {
    let (least, most) = match schema["format"].as_str() {
        Some("uint8") => (0, 255),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        other => panic!("of what size is {other:?}?"),
    };
    (schema["minimum"].as_i64().unwrap_or(least), schema["maximum"].as_i64().unwrap_or(most))
}

/// What texts and lists may say: no schema tells.
fn example(name: &str) -> Option<Value> {
    Some(match name {
        "JobSpec.name"
        | "CalendarSpec.name"
        | "TriggerSpec.name"
        | "JobSpec.namespace"
        | "CalendarSpec.namespace"
        | "Bundle.namespace"
        | "JobSpec.queue"
        | "JobSpec.calendar"
        | "TriggerSpec.calendar"
        | "CalendarSpec.base" => "x".into(),
        "JobSpec.description"
        | "JobSpec.owner"
        | "CalendarSpec.description"
        | "GroupSpec.description"
        | "ParamSpec.description"
        | "JobSpec.run"
        | "JobSpec.handler" => "x y".into(),
        "JobSpec.timezone" | "TriggerSpec.timezone" | "CalendarSpec.timezone" => "Europe/Berlin".into(),
        "JobSpec.routing_key" => "customer".into(),
        "JobSpec.working_dir" => "/tmp".into(),
        "JobSpec.labels" | "JobSpec.env" | "JobSpec.workers" | "HttpTask.headers" => json!({"a": "b"}),
        "JobSpec.params" => json!({"a": {}}),
        "JobSpec.input" | "TriggerSpec.input" => json!({"a": 1.5}),
        "JobSpec.exec" => json!(["true", ""]),
        "JobSpec.schedule" => json!(["@daily", {"every": "1h"}]),
        "JobSpec.triggers" => json!([{"name": "t", "cron": "@daily"}]),
        "JobSpec.http" => json!({"url": "http://h/"}),
        "JobSpec.deadline" => json!({"within": "2h"}),
        "TriggerSpec.after" => "b".into(),
        "JobSpec.alerts" => json!([{"failed": true, "channels": ["ops"]}]),
        "AlertSpec.channels" => json!(["ops"]),
        "AlertSpec.to" => json!(["ops@example.org"]),
        "JobSpec.xxl" => json!({"app": "mail", "handler": "send"}),
        "XxlTask.app" | "XxlTask.handler" | "XxlTask.params" => "x".into(),
        "XxlTask.glue" => json!({"language": "shell", "source": "date"}),
        "XxlGlue.source" | "XxlGlue.remark" | "ScriptSpec.source" => "x".into(),
        "JobSpec.script" | "TaskSpec.script" => json!({"language": "shell", "source": "date"}),
        "ScriptSpec.args" => json!(["a", ""]),
        "JobSpec.retry_on" => json!([1, "timed_out", "error"]),
        "JobSpec.timeout"
        | "JobSpec.run_timeout"
        | "JobSpec.start_timeout"
        | "JobSpec.retry_delay"
        | "JobSpec.retry_max_delay"
        | "JobSpec.retry_jitter"
        | "TriggerSpec.every"
        | "TriggerSpec.delay"
        | "TriggerSpec.jitter"
        | "TriggerSpec.misfire_threshold"
        | "HttpTask.timeout"
        | "AlertSpec.late"
        | "AlertSpec.runs_longer"
        | "AlertSpec.repeat"
        | "DeadlineSpec.within"
        | "DailyWindow.every" => "90s".into(),
        "ParamSpec.enum" => json!([1, "a"]),
        "ParamSpec.default" => json!("a"),
        "TriggerSpec.cron" => "0 0 12 ? * 6L".into(),
        "CalendarSpec.cron" => "0 0 12 ? * 6L".into(),
        "TriggerSpec.at" | "TriggerSpec.start_at" => "2027-01-01 00:00".into(),
        "TriggerSpec.end_at" => "2028-01-01T00:00:00Z".into(),
        "TriggerSpec.calendar_interval" => json!({"every": 2, "unit": "month"}),
        "TriggerSpec.daily_window" => json!({"every": "1h"}),
        "DailyWindow.from" | "DailyRange.from" => "08:00".into(),
        "DailyWindow.to" | "DailyRange.to" => "18:00".into(),
        "DailyWindow.days" | "CalendarSpec.weekly" => json!(["mon", "sun"]),
        "HttpTask.url" => "https://example.org/".into(),
        "HttpTask.method" => "POST".into(),
        "HttpTask.body" => json!({"a": [1]}),
        "HttpTask.expect" => json!(["2xx", 404]),
        "CalendarSpec.annual" => json!(["12-25"]),
        "CalendarSpec.holiday" => json!(["2026-12-25"]),
        "CalendarSpec.monthly" => json!([1, 31]),
        "CalendarSpec.daily" => json!({"from": "08:00", "to": "18:00"}),
        "Bundle.jobs" | "Bundle.calendars" => json!([]),
        "Bundle.namespaces" => json!(["n"]),
        "JobSpec.tasks" => json!({"a": {"noop": true}}),
        "JobSpec.defaults" | "GroupSpec.defaults" => json!({"retries": 1}),
        "JobSpec.groups" => json!({"g": {}}),
        "TaskSpec.group" | "GroupSpec.group" => "g".into(),
        "GroupSpec.needs" => json!(["b"]),
        "GroupSpec.if" => "${{ needs.b.state == 'failed' }}".into(),
        "GroupSpec.trigger_rule" => "all_done".into(),
        "JobSpec.fail_fast" => "cancel".into(),
        "TaskSpec.needs" => json!(["b"]),
        "TaskSpec.if" => "${{ needs.b.state == 'failed' }}".into(),
        "TaskSpec.map" => "${{ [1, 2] }}".into(),
        "TaskSpec.matrix" => json!({"x": [1, "a"]}),
        "TaskSpec.outputs" => json!(["rows"]),
        "TaskSpec.wait" => json!({"for": "1h"}),
        "TaskSpec.workflow" => "other".into(),
        "TaskSpec.inputs" => json!({"rows": 1}),
        "JobSpec.outputs" => json!({"state": "${{ needs.b.state }}"}),
        "TaskSpec.approval" => json!({"prompt": "go on?"}),
        "WaitSpec.for" | "ApprovalSpec.timeout" | "ElsewhereSpec.timeout" => "90s".into(),
        "ElsewhereSpec.workflow" => "ingest".into(),
        "ElsewhereSpec.task" => "load".into(),
        "ElsewhereSpec.at" => "covers".into(),
        "ElsewhereSpec.offset" => "-1d".into(),
        "ElsewhereSpec.on_missing" => "skip".into(),
        "WaitSpec.at" => "18:00".into(),
        "WaitSpec.timezone" => "Europe/Berlin".into(),
        "WaitSpec.until" => "2027-01-01 00:00".into(),
        "ApprovalSpec.prompt" => "go on?".into(),
        "ApprovalSpec.from" => json!(["ann"]),
        _ => return example(&format!("JobSpec.{}", name.strip_prefix("TaskSpec.")?)),
    })
}

/// A bundle in which a member has a value, with the members beside it without which it has no effect.
fn document(name: &str, value: &Value) -> Value {
    let (of, member) = name.split_once('.').unwrap();
    let with = |base: Value, member: &str, value: &Value| -> Value {
        let mut base = base;
        base[member] = value.clone();
        base
    };
    let of_job = |job: Value| json!({"jobs": [job]});
    let of_trigger = |trigger: Value| of_job(json!({"name": "a", "noop": true, "schedule": trigger}));
    match of {
        "Bundle" => with(json!({}), member, value),
        "JobSpec" if ["tasks", "defaults", "fail_fast", "outputs"].contains(&member) => {
            of_job(with(json!({"name": "a", "tasks": {"b": {"noop": true}}}), member, value))
        }
        "JobSpec" if member == "groups" => {
            of_job(with(json!({"name": "a", "tasks": {"b": {"noop": true, "group": "g"}}}), member, value))
        }
        "GroupSpec" => {
            let base = if member == "if" { json!({"needs": "b"}) } else { json!({}) };
            let tasks = json!({"b": {"noop": true}, "t": {"run": "x", "group": "h"}});
            let mut groups = json!({"h": with(base, member, value)});
            if member == "group" {
                groups["g"] = json!({});
            }
            of_job(json!({"name": "a", "groups": groups, "tasks": tasks}))
        }
        "TaskSpec" => {
            let mut task = match member {
                "exec" | "script" | "http" | "handler" | "run" | "wait" | "approval" | "workflow" => json!({}),
                "inputs" => json!({"workflow": "other"}),
                "noop" if *value == json!(false) => json!({"run": "x"}),
                "noop" => json!({}),
                "if" => json!({"run": "x", "needs": "b"}),
                "max_parallel" => json!({"run": "x", "matrix": {"x": [1]}}),
                "retry_max_delay" => json!({"run": "x", "retry_backoff": "exponential"}),
                _ => json!({"run": "x"}),
            };
            task[member] = value.clone();
            let mut job = json!({"name": "a", "tasks": {"b": {"noop": true}, "t": task}});
            if member == "group" {
                job["groups"] = json!({"g": {}});
            }
            of_job(job)
        }
        "JobSpec" => {
            let mut job = match member {
                "exec" | "script" | "http" | "handler" | "run" | "xxl" => json!({"name": "a"}),
                "noop" if *value == json!(false) => json!({"name": "a", "run": "x"}),
                "noop" => json!({"name": "a"}),
                _ => json!({"name": "a", "run": "x"}),
            };
            match member {
                "max_active" => job["overlap"] = "skip".into(),
                "misfire" if is_counted(value) => job["schedule"] = json!({"every": "1h"}),
                "misfire" => job["schedule"] = "@daily".into(),
                "retry_max_delay" => job["retry_backoff"] = "exponential".into(),
                _ => {}
            }
            of_job(with(job, member, value))
        }
        "AlertSpec" => {
            let other = if member == "misfired" { "failed" } else { "misfired" };
            let alert = with(json!({"channels": ["ops"], other: true}), member, value);
            of_job(json!({"name": "a", "run": "x", "alerts": [alert]}))
        }
        "TriggerSpec" => {
            let base = match member {
                "cron" | "every" | "at" | "calendar_interval" | "daily_window" | "delay" | "after" => json!({}),
                "on" => json!({"after": "b"}),
                "repeat_count" => json!({"every": "1h"}),
                "misfire" if is_counted(value) => json!({"every": "1h"}),
                _ => json!({"cron": "@daily"}),
            };
            of_trigger(with(base, member, value))
        }
        "DeadlineSpec" => of_job(json!({"name": "a", "noop": true, "deadline": with(json!({}), member, value)})),
        "HttpTask" => of_job(json!({"name": "a", "http": with(json!({"url": "http://h/"}), member, value)})),
        "ScriptSpec" => {
            of_job(json!({"name": "a", "script": with(json!({"language": "shell", "source": "date"}), member, value)}))
        }
        "XxlTask" => {
            let base =
                if member == "glue" { json!({"app": "mail"}) } else { json!({"app": "mail", "handler": "send"}) };
            of_job(json!({"name": "a", "xxl": with(base, member, value)}))
        }
        "XxlGlue" => {
            let glue = with(json!({"language": "shell", "source": "date"}), member, value);
            of_job(json!({"name": "a", "xxl": {"app": "mail", "glue": glue}}))
        }
        "ParamSpec" => {
            let mut param = with(json!({}), member, value);
            if member == "required" {
                param["default"] = 1.into();
            }
            of_job(json!({"name": "a", "noop": true, "params": {"p": param}}))
        }
        "CalendarInterval" => {
            let mut base = json!({"every": 1, "unit": "day"});
            if member == "skip_missing_hour" {
                base["preserve_hour"] = true.into();
            }
            of_trigger(json!({"calendar_interval": with(base, member, value)}))
        }
        "DailyWindow" => of_trigger(json!({"daily_window": with(json!({"every": "1h"}), member, value)})),
        "CalendarSpec" => {
            let is_kind = ["annual", "cron", "daily", "holiday", "monthly", "weekly"].contains(&member);
            let base = if is_kind { json!({"name": "c"}) } else { json!({"name": "c", "weekly": "sun"}) };
            json!({"calendars": [with(base, member, value)]})
        }
        "WaitSpec" if member == "timezone" => {
            of_job(json!({"name": "a", "tasks": {"t": {"wait": with(json!({"at": "18:00"}), member, value)}}}))
        }
        "WaitSpec" => of_job(json!({"name": "a", "tasks": {"t": {"wait": with(json!({}), member, value)}}})),
        "ElsewhereSpec" => {
            let needs = json!([with(json!({"workflow": "ingest"}), member, value)]);
            of_job(json!({"name": "a", "tasks": {"t": {"noop": true, "needs": needs}}}))
        }
        "ApprovalSpec" => {
            let approval = with(json!({"prompt": "go on?"}), member, value);
            of_job(json!({"name": "a", "tasks": {"t": {"approval": approval}}}))
        }
        "DailyRange" => {
            let base = json!({"from": "08:00", "to": "18:00"});
            json!({"calendars": [{"name": "c", "daily": with(base, member, value)}]})
        }
        other => panic!("say here where {other} stands in a bundle"),
    }
}

/// Policies of triggers that count.
fn is_counted(misfire: &Value) -> bool {
    misfire.as_str().is_some_and(|word| word == "fire_now" || word.ends_with("count"))
}
