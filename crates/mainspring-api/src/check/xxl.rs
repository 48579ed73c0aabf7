//! Rules of the work of XXL-JOB's executors.

use crate::{ErrorCode, JobSpec, Problem, XxlGlue, XxlTask};

/// Checks that the task is whole, and that the job says nothing that it decides.
pub(super) fn check(task: &XxlTask, spec: &JobSpec, problems: &mut Vec<Problem>) {
    if !XxlTask::is_app_name(&task.app) {
        let message = "\"app\" has 1 to 64 letters, digits, '.', '_' and '-', and begins with a letter or digit";
        problems.push(Problem::new(ErrorCode::NameInvalid, message).at("/xxl/app"));
    }
    match (&task.glue, task.handler.trim().is_empty()) {
        (None, true) => {
            problems.push(wrong("\"handler\" is empty", "/xxl/handler").hint("or give a script as \"glue\""))
        }
        (Some(_), false) => problems.push(wrong("a script stands in place of \"handler\": keep one", "/xxl/glue")),
        (Some(glue), true) => check_glue(glue, problems),
        (None, false) => {}
    }
    if let Some(id) = task.id.filter(|id| !(1..=XxlTask::ID_MAX).contains(id)) {
        let message = format!("\"id\" is {id}, not within 1 to {}", XxlTask::ID_MAX);
        problems.push(wrong(message, "/xxl/id").hint("leave it out: the server gives one"));
    }
    if spec.queue.is_some() {
        let message = format!("\"queue\" has no effect with xxl: runs wait in {}", XxlTask::queue(&task.app));
        problems.push(wrong(message, "/queue").hint("remove it"));
    }
}

fn check_glue(glue: &XxlGlue, problems: &mut Vec<Problem>) {
    if glue.source.trim().is_empty() {
        problems.push(wrong("the script is empty", "/xxl/glue/source"));
    } else if glue.source.len() > XxlGlue::SOURCE_MAX {
        problems.push(wrong(format!("a script has at most {} KiB", XxlGlue::SOURCE_MAX / 1024), "/xxl/glue/source"));
    }
    if glue.remark.as_ref().is_some_and(|remark| remark.chars().count() > XxlGlue::REMARK_MAX) {
        problems.push(wrong(format!("a remark has at most {} characters", XxlGlue::REMARK_MAX), "/xxl/glue/remark"));
    }
}

fn wrong(message: impl Into<String>, pointer: &str) -> Problem {
    Problem::new(ErrorCode::FieldValue, message).at(pointer)
}

#[cfg(test)]
mod tests {
    use crate::{Overlap, check_job};

    fn problems(json: &str) -> Vec<String> {
        let spec = serde_json::from_str(json).unwrap();
        check_job(&spec).into_iter().map(|problem| format!("{} {}", problem.pointer, problem.code.as_str())).collect()
    }

    #[test]
    fn what_an_executor_could_not_be_asked_is_refused() {
        let cases: [(&str, &[&str]); 7] = [
            (r#"{"name":"a","xxl":{"app":"mail","glue":{"language":"shell","source":"date"}}}"#, &[]),
            (
                r#"{"name":"a","xxl":{"app":"mail","glue":{"language":"node","source":" "}}}"#,
                &["/xxl/glue/source field.value"],
            ),
            (
                r#"{"name":"a","xxl":{"app":"mail","handler":"h","glue":{"language":"node","source":"1"}}}"#,
                &["/xxl/glue field.value"],
            ),
            (r#"{"name":"a","xxl":{"app":"mail","handler":"send"}}"#, &[]),
            (
                r#"{"name":"a","xxl":{"app":"a b","handler":" ","id":0}}"#,
                &["/xxl/app name.invalid", "/xxl/handler field.value", "/xxl/id field.value"],
            ),
            (r#"{"name":"a","queue":"q","xxl":{"app":"mail","handler":"send"}}"#, &["/queue field.value"]),
            (r#"{"name":"a","max_active":2,"retry_on":[500,"timed_out"],"xxl":{"app":"mail","handler":"send"}}"#, &[]),
        ];
        for (json, expected) in cases {
            assert_eq!(problems(json), expected, "{json}");
        }
    }

    #[test]
    fn the_block_strategy_says_the_overlap_that_nobody_says() {
        for (rest, overlap) in [
            ("", Overlap::QueueAll),
            (r#","block":"discard_later""#, Overlap::Skip),
            (r#","block":"cover_early""#, Overlap::CancelRunning),
        ] {
            let json = format!(r#"{{"name":"a","xxl":{{"app":"mail","handler":"send"{rest}}}}}"#);
            let mut spec: crate::JobSpec = serde_json::from_str(&json).unwrap();
            assert_eq!(spec.overlap_policy(), overlap, "{rest}");
            spec.overlap = Some(Overlap::Allow);
            assert_eq!(spec.overlap_policy(), Overlap::Allow, "{rest}");
        }
    }
}
