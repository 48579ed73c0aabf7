//! Children of jobs, as XXL-JOB calls jobs that start when another one has succeeded.

use mainspring_api::{AfterOn, JobSpec, OneOrMany, TriggerSpec};

/// Name of the trigger of a child.
const TRIGGER: &str = "parents";
/// Jobs that one trigger may come after.
const AFTER_MAX: usize = 100;

/// Lets a job start when another one has succeeded, beside what it does already.
///
/// ```
/// use mainspring_api::JobSpec;
/// use mainspring_xxl::family;
/// let mut job = JobSpec { name: "child".to_owned(), ..JobSpec::default() };
/// family::follow(&mut job, "parent");
/// assert!(family::follows(&job, "parent") && job.triggers[0].name.as_deref() == Some("parents"));
/// assert!(family::leave(&mut job, "parent") && job.triggers.is_empty());
/// ```
pub fn follow(job: &mut JobSpec, parent: &str) {
    if follows(job, parent) {
        return;
    }
    spell_out(job);
    let mut ours = job.triggers.iter_mut().filter(|trigger| is_ours(trigger));
    if let Some(after) =
        ours.find_map(|trigger| trigger.after.as_mut().filter(|after| after.as_slice().len() < AFTER_MAX))
    {
        let names = after.as_slice().iter().cloned().chain([parent.to_owned()]);
        *after = OneOrMany::Many(names.collect());
        return;
    }
    let is_taken = |name: &str| job.triggers.iter().any(|trigger| trigger.name.as_deref() == Some(name));
    let mut names = std::iter::once(TRIGGER.to_owned()).chain((2..).map(|number| format!("{TRIGGER}-{number}")));
    let name = names.find(|name| !is_taken(name));
    let after = Some(OneOrMany::Many(vec![parent.to_owned()]));
    job.triggers.push(TriggerSpec { name, after, ..TriggerSpec::default() });
}

/// Lets a job start no more when another one has succeeded. True: it did.
pub fn leave(job: &mut JobSpec, parent: &str) -> bool {
    if !follows(job, parent) {
        return false;
    }
    spell_out(job);
    for trigger in job.triggers.iter_mut().filter(|trigger| starts(trigger).is_some()) {
        if let Some(after) = &mut trigger.after {
            *after = OneOrMany::Many(after.as_slice().iter().filter(|name| *name != parent).cloned().collect());
        }
    }
    job.triggers.retain(|trigger| trigger.after.as_ref().is_none_or(|after| !after.as_slice().is_empty()));
    true
}

/// Tells whether a job starts when another one has succeeded.
#[must_use]
pub fn follows(job: &JobSpec, parent: &str) -> bool {
    parents(job).iter().any(|name| name == parent)
}

/// The jobs whose success starts a job.
#[must_use]
pub fn parents(job: &JobSpec) -> Vec<String> {
    let triggers = job.triggers_in_order();
    let named = triggers.iter().filter_map(|(_, trigger)| starts(trigger));
    named.flat_map(|after| after.as_slice().iter().cloned()).collect()
}

/// Lets all triggers of a job rest that do not come after jobs.
pub fn stop_schedule(job: &mut JobSpec) {
    spell_out(job);
    let own = job.triggers.iter_mut().filter(|trigger| trigger.after.is_none());
    own.for_each(|trigger| trigger.paused = Some(true));
}

/// What a trigger comes after, if success counts.
fn starts(trigger: &TriggerSpec) -> Option<&OneOrMany<String>> {
    trigger.after.as_ref().filter(|_| matches!(trigger.on, None | Some(AfterOn::Succeeded | AfterOn::Any)))
}

/// Whether a trigger is as [`follow`] makes it: one that says more, such as who counts, is of people.
fn is_ours(trigger: &TriggerSpec) -> bool {
    let has_name = trigger.name.as_deref().is_some_and(|name| name.starts_with(TRIGGER));
    let on_success = matches!(trigger.on, None | Some(AfterOn::Succeeded));
    // Jobs that are kept have a time zone for each trigger, without effect here.
    let bare = TriggerSpec { name: None, after: None, on: None, timezone: None, ..trigger.clone() };
    has_name && on_success && trigger.after.is_some() && bare == TriggerSpec::default()
}

/// Writes the triggers of a job one by one, with their names.
fn spell_out(job: &mut JobSpec) {
    if job.schedule.is_some() {
        job.triggers = job.triggers_in_order().into_iter().map(|(_, trigger)| trigger).collect();
        job.schedule = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(json: &str) -> JobSpec {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_child_keeps_its_own_schedule_and_the_triggers_of_others() {
        let mut child =
            job(r#"{"name":"c","schedule":"0 2 * * *","triggers":[{"name":"x","after":["p","q"],"on":"failed"}]}"#);
        assert!(!follows(&child, "p"), "failures do not count");
        follow(&mut child, "p");
        follow(&mut child, "r");
        follow(&mut child, "p");
        assert_eq!(parents(&child), ["p", "r"]);
        assert_eq!((child.schedule.is_none(), child.triggers.len(), child.triggers[0].cron.is_some()), (true, 3, true));
        stop_schedule(&mut child);
        let rests: Vec<_> = child.triggers.iter().map(|trigger| trigger.paused == Some(true)).collect();
        assert_eq!(rests, [true, false, false]);
        assert!(leave(&mut child, "p") && !leave(&mut child, "p") && leave(&mut child, "r"));
        assert_eq!(child.triggers.len(), 2, "the trigger of the one who wants failures stays");
    }

    #[test]
    fn triggers_that_say_more_than_parents_are_left_to_people() {
        for more in [r#""on":"any""#, r#""paused":true"#, r#""misfire":"do_nothing""#] {
            let mut child = job(&format!(r#"{{"name":"c","triggers":[{{"name":"parents","after":["p"],{more}}}]}}"#));
            let before = child.triggers[0].clone();
            follow(&mut child, "q");
            assert_eq!((&child.triggers[0], child.triggers.len()), (&before, 2), "{more}");
            assert_eq!(child.triggers[1].name.as_deref(), Some("parents-2"));
        }
    }

    #[test]
    fn a_trigger_comes_after_a_hundred_jobs_at_most() {
        let mut child = job(r#"{"name":"c"}"#);
        (0..=AFTER_MAX).for_each(|number| follow(&mut child, &format!("p-{number}")));
        let shape: Vec<_> = child.triggers.iter().map(|trigger| trigger.name.as_deref().unwrap_or_default()).collect();
        assert_eq!((shape, parents(&child).len()), (vec!["parents", "parents-2"], 101));
    }
}
