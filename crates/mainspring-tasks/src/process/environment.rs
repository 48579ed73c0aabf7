//! The environment of a process: a clean one, plus what the attempt says.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::attempt::Attempt;
use crate::ended::TaskError;

/// The name behind which an attempt's output file is told; its value is unique to the attempt.
pub(crate) const OUTPUT: &str = "MS_OUTPUT";
/// The name behind which the file with the job's data is told.
const DATA: &str = "MS_DATA";
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Variables by name.
pub(crate) type Environment = BTreeMap<OsString, OsString>;

/// Picks those of `names` that this process has; `PATH` is there in any case.
pub(crate) fn inherited(names: &[String]) -> Environment {
    let mut environment = Environment::from([("PATH".into(), DEFAULT_PATH.into())]);
    environment.extend(names.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?))));
    environment
}

/// Returns what the attempt's process sees: inherited, then declared, then `MS_*`.
///
/// # Errors
/// `process.environment` for names and values that no environment can hold, and for parameters
/// whose variables would have the same name.
pub(crate) fn environment(
    inherited: &Environment,
    attempt: &Attempt,
    output: &Path,
    data: &Path,
) -> Result<Environment, TaskError> {
    let mut environment = inherited.clone();
    for (name, value) in &attempt.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(bad(format!("`{}` is no name for an environment variable", name.escape_debug())));
        }
        environment.insert(name.into(), whole("variable", name, value)?);
    }
    let mut told = BTreeMap::new();
    for (name, value) in &attempt.params {
        let variable = parameter_variable(name);
        if let Some(other) = told.insert(variable.clone(), name) {
            return Err(bad(format!("the parameters `{other}` and `{name}` would both become {variable}; rename one")));
        }
        environment.insert(variable.into(), whole("parameter", name, value)?);
    }
    let facts = [
        ("MS_RUN_ID", Some(&attempt.run_id)),
        ("MS_JOB", Some(&attempt.job)),
        ("MS_FIRE_TIME", attempt.fire_time.as_ref()),
        ("MS_ATTEMPT", Some(&attempt.attempt.to_string())),
        ("TRACEPARENT", Some(&attempt.traceparent)),
    ];
    for (name, value) in facts {
        environment.remove(OsStr::new(name));
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            environment.insert(name.into(), whole("fact", name, value)?);
        }
    }
    environment.insert(OUTPUT.into(), output.into());
    environment.remove(OsStr::new(DATA));
    if attempt.data.is_some() {
        environment.insert(DATA.into(), data.into());
    }
    Ok(environment)
}

/// Returns the variable of a parameter: capitals, and `_` for what is no ASCII letter or digit.
fn parameter_variable(name: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }
    };
    format!("MS_PARAM_{}", name.chars().map(letter).collect::<String>())
}

fn whole(kind: &str, name: &str, value: &str) -> Result<OsString, TaskError> {
    if value.contains('\0') {
        return Err(bad(format!("the {kind} `{name}` holds a NUL byte, which no environment variable can")));
    }
    Ok(value.into())
}

fn bad(message: String) -> TaskError {
    TaskError::new("process.environment", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn facts_win_over_declared_and_declared_over_inherited() {
        let base = Environment::from([("PATH".into(), "/bin".into()), ("TZ".into(), "UTC".into())]);
        let attempt = Attempt {
            run_id: "r1".into(),
            job: "default/etl".into(),
            params: map(&[("region-code", "eu; rm -rf /"), ("größe", "")]),
            data: Some(serde_json::json!({})),
            env: map(&[("TZ", "Europe/Rome"), ("MS_RUN_ID", "forged"), ("MS_FIRE_TIME", "forged")]),
            ..Attempt::default()
        };
        let environment = environment(&base, &attempt, Path::new("/o"), Path::new("/d")).unwrap();
        let pairs: Vec<_> = environment.iter().map(|(n, v)| (n.to_str().unwrap(), v.to_str().unwrap())).collect();
        let expected = [
            ("MS_ATTEMPT", "1"),
            ("MS_DATA", "/d"),
            ("MS_JOB", "default/etl"),
            ("MS_OUTPUT", "/o"),
            ("MS_PARAM_GR__E", ""),
            ("MS_PARAM_REGION_CODE", "eu; rm -rf /"),
            ("MS_RUN_ID", "r1"),
            ("PATH", "/bin"),
            ("TZ", "Europe/Rome"),
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn what_no_environment_can_hold_is_refused() {
        let refused = [
            (map(&[("a-b", "1"), ("a_b", "2")]), map(&[]), "`a-b` and `a_b` would both become MS_PARAM_A_B"),
            (map(&[("a", "x\0y")]), map(&[]), "the parameter `a` holds a NUL byte"),
            (map(&[]), map(&[("A=B", "1")]), "`A=B` is no name"),
            (map(&[]), map(&[("", "1")]), "`` is no name"),
            (map(&[]), map(&[("A", "\0")]), "the variable `A` holds a NUL byte"),
        ];
        for (params, env, text) in refused {
            let attempt = Attempt { params, env, ..Attempt::default() };
            let error = environment(&Environment::new(), &attempt, Path::new("/o"), Path::new("/d")).unwrap_err();
            assert_eq!(error.code, "process.environment");
            assert!(error.message.contains(text), "{}", error.message);
        }
    }
}
