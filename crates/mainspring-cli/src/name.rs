//! Names of jobs and triggers as people type them.

use std::str::FromStr;

use mainspring_api::ErrorCode;

/// `JOB` or `NAMESPACE/JOB`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobName {
    namespace: Option<String>,
    /// The name within its namespace.
    pub job: String,
}

/// `JOB/TRIGGER` or `NAMESPACE/JOB/TRIGGER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerName {
    namespace: Option<String>,
    /// The job's name within its namespace.
    pub job: String,
    /// The trigger's name within its job; empty when only a job was named.
    pub trigger: String,
}

/// Reads a name as all resources have them, for an option.
///
/// # Errors
/// Says what a name is, for clap to show.
pub fn plain(text: &str) -> Result<String, String> {
    match mainspring_api::is_valid_name(text) {
        true => Ok(text.to_owned()),
        false => Err(ErrorCode::NameInvalid.advice().to_owned()),
    }
}

/// Reads `KEY=VALUE`, for an option.
///
/// # Errors
/// Says what is expected, for clap to show.
pub fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((plain(key)?, value.to_owned()))
}

impl JobName {
    /// The namespace that was typed, else the one of `--namespace`.
    pub fn namespace<'a>(&'a self, default: &'a str) -> &'a str {
        self.namespace.as_deref().unwrap_or(default)
    }
}

impl TriggerName {
    /// The namespace that was typed, else the one of `--namespace`.
    pub fn namespace<'a>(&'a self, default: &'a str) -> &'a str {
        self.namespace.as_deref().unwrap_or(default)
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match split(text).as_deref() {
            Some([job]) => Ok(Self { namespace: None, job: (*job).to_owned() }),
            Some([namespace, job]) => Ok(Self { namespace: Some((*namespace).to_owned()), job: (*job).to_owned() }),
            _ => Err("expected JOB or NAMESPACE/JOB".to_owned()),
        }
    }
}

impl FromStr for TriggerName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (namespace, job, trigger) = match split(text).as_deref() {
            Some([job]) => (None, *job, ""),
            Some([job, trigger]) => (None, *job, *trigger),
            Some([namespace, job, trigger]) => (Some((*namespace).to_owned()), *job, *trigger),
            _ => return Err("expected JOB/TRIGGER or NAMESPACE/JOB/TRIGGER".to_owned()),
        };
        Ok(Self { namespace, job: job.to_owned(), trigger: trigger.to_owned() })
    }
}

/// Splits at slashes; `None` when a part is empty.
fn split(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text.split('/').collect();
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_and_without_a_namespace() {
        let job: JobName = "prod/nightly".parse().unwrap();
        assert_eq!((job.namespace("default"), job.job.as_str()), ("prod", "nightly"));
        let job: JobName = "nightly".parse().unwrap();
        assert_eq!(job.namespace("default"), "default");
        let trigger: TriggerName = "prod/nightly/cron".parse().unwrap();
        assert_eq!(
            (trigger.namespace("default"), trigger.job.as_str(), trigger.trigger.as_str()),
            ("prod", "nightly", "cron")
        );
        let trigger: TriggerName = "nightly/cron".parse().unwrap();
        assert_eq!(trigger.namespace("default"), "default");
        for wrong in ["", "/", "a//b", "a/b/c/d", "nightly/"] {
            assert!(wrong.parse::<JobName>().is_err(), "{wrong}");
            assert!(wrong.parse::<TriggerName>().is_err(), "{wrong}");
        }
        assert_eq!("nightly".parse::<TriggerName>().unwrap().trigger, "");
    }
}
