//! Which jobs a listener hears of.

use mainspring_core::job::Job;

/// Which jobs a listener hears of: those to which all that is named here applies.
///
/// ```
/// use mainspring_core::job::{Job, JobKey, Task};
/// use mainspring_engine::Scope;
/// let mut job = Job::new(JobKey::new("shop", "nightly-report"), Task::Noop);
/// job.labels.insert("team".into(), "data".into());
/// assert!(Scope::all().admits(&job));
/// assert!(Scope::all().namespace("shop").job("nightly-*").label("team", "data").admits(&job));
/// assert!(!Scope::all().namespace("shop").job("nightly").admits(&job));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    namespace: Option<String>,
    job: Option<String>,
    labels: Vec<(String, String)>,
}

impl Scope {
    /// Every job.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Jobs of one namespace.
    #[must_use]
    pub fn namespace(mut self, name: impl Into<String>) -> Self {
        self.namespace = Some(name.into());
        self
    }

    /// Jobs of one name; with `*` at its end, of names that begin so.
    #[must_use]
    pub fn job(mut self, name: impl Into<String>) -> Self {
        self.job = Some(name.into());
        self
    }

    /// Jobs with a label. Several may be named.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.push((name.into(), value.into()));
        self
    }

    /// Whether a job is among them.
    #[must_use]
    pub fn admits(&self, job: &Job) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == job.key.namespace)
            && self.job.as_ref().is_none_or(|name| is_named(&job.key.name, name))
            && self.labels.iter().all(|(name, value)| job.labels.get(name) == Some(value))
    }
}

fn is_named(name: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == wanted,
    }
}
