//! Who is told of failures: XXL-JOB's `alarm_email`, and alerts of jobs.

use mainspring_api::{AlertSpec, JobSpec};

use crate::fields::Fields;

/// Label with the addresses that XXL-JOB told of failures, where nobody is told here.
const LABEL: &str = "xxl-alarm-email";

/// Returns the rule that tells addresses of failures by a channel, and those that are no addresses.
pub(crate) fn rule(mail: &str, channel: &str) -> (Option<AlertSpec>, Vec<String>) {
    let (to, bad) = addresses(mail);
    let spec = AlertSpec { failed: true, channels: vec![channel.to_owned()], to, ..AlertSpec::default() };
    (Some(spec).filter(|spec| !spec.to.is_empty()), bad)
}

/// What is said of texts that are no addresses.
pub(crate) fn said_of(bad: &[String]) -> Option<String> {
    let said = || format!("{} is no address of e-mail, and is not told of failures", bad.join(", "));
    (!bad.is_empty()).then(said)
}

fn addresses(mail: &str) -> (Vec<String>, Vec<String>) {
    let all = mail.split([',', ';']).map(str::trim).filter(|address| !address.is_empty());
    all.map(str::to_owned).partition(|address| AlertSpec::is_address(address))
}

/// The addresses that are told of failures of a job, with commas between them.
pub(crate) fn mail_of(job: &JobSpec) -> String {
    let told = job.alerts.iter().find(|rule| is_mail(rule)).map(|rule| rule.to.join(","));
    told.or_else(|| job.labels.get(LABEL).cloned()).unwrap_or_default()
}

fn is_mail(rule: &AlertSpec) -> bool {
    rule.failed && !rule.to.is_empty()
}

/// Lets a job tell the addresses of `alarmEmail` of its failures, by the channel of its rule, or else by the one that is given. Answers
/// what is different here. What names no `alarmEmail` changes nothing.
///
/// ```
/// use mainspring_api::JobSpec;
/// use mainspring_xxl::{Fields, tell};
/// let mut job = JobSpec::default();
/// assert!(tell(&Fields::new([("alarmEmail", "a@example.org")]), &mut job, Some("mail")).is_empty());
/// assert_eq!((job.alerts[0].failed, job.alerts[0].to[0].as_str()), (true, "a@example.org"));
/// ```
pub fn tell(fields: &Fields, job: &mut JobSpec, channel: Option<&str>) -> Vec<String> {
    let Some(mail) = fields.get("alarmEmail").map(str::trim) else { return Vec::new() };
    if job.labels.remove(LABEL).is_none() && mail == mail_of(job) {
        return Vec::new();
    }
    let (to, bad) = addresses(mail);
    let mut notes: Vec<String> = said_of(&bad).into_iter().collect();
    match (job.alerts.iter().position(is_mail), channel) {
        (Some(index), _) if to.is_empty() => leave(job, index),
        (Some(index), _) => job.alerts[index].to = to,
        (None, _) if mail.is_empty() => {}
        (None, Some(channel)) => job.alerts.extend(rule(mail, channel).0),
        (None, None) => {
            job.labels.insert(LABEL.to_owned(), mail.to_owned());
            notes.push(
                "nobody is told of failures: there is no channel of alerts for e-mail, or several of which none is called mail"
                    .to_owned(),
            );
        }
    }
    notes
}

/// Tells nobody of failures by a rule any more. What it tells beside stays.
fn leave(job: &mut JobSpec, index: usize) {
    let rule = &mut job.alerts[index];
    rule.failed = false;
    let bare = AlertSpec {
        channels: rule.channels.clone(),
        to: rule.to.clone(),
        repeat: rule.repeat.clone(),
        recovered: rule.recovered,
        ..AlertSpec::default()
    };
    if *rule == bare {
        job.alerts.remove(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mail: &str) -> Fields {
        Fields::new([("alarmEmail", mail)])
    }

    #[test]
    fn addresses_become_a_rule_and_are_given_back() {
        let mut job = JobSpec::default();
        assert_eq!(
            tell(&said("a@b.c, d@e.f,x"), &mut job, Some("mail")),
            ["x is no address of e-mail, and is not told of failures"]
        );
        assert_eq!((mail_of(&job).as_str(), job.alerts.len()), ("a@b.c,d@e.f", 1));
        let before = job.clone();
        assert!(
            tell(&Fields::default(), &mut job, None).is_empty()
                && tell(&said("a@b.c,d@e.f"), &mut job, None).is_empty()
        );
        assert_eq!(job, before, "what says nothing new changes nothing");
        job.alerts[0].late = Some("1m".to_owned());
        tell(&said("g@h.i"), &mut job, None);
        assert_eq!((mail_of(&job).as_str(), &job.alerts[0].channels[..]), ("g@h.i", &["mail".to_owned()][..]));
        tell(&said(""), &mut job, None);
        assert_eq!(
            (mail_of(&job).as_str(), job.alerts.len(), job.alerts[0].failed),
            ("", 1, false),
            "it is late, still"
        );
        let mut other = before;
        tell(&said(""), &mut other, None);
        assert_eq!(other.alerts, []);
    }

    #[test]
    fn without_a_channel_addresses_are_kept_until_there_is_one() {
        let mut job = JobSpec::default();
        let notes = tell(&said("a@b.c"), &mut job, None);
        assert!(notes[0].starts_with("nobody is told of failures"), "{notes:?}");
        assert_eq!((mail_of(&job).as_str(), job.alerts.len()), ("a@b.c", 0));
        assert!(tell(&said("a@b.c"), &mut job, Some("mail")).is_empty());
        assert_eq!((mail_of(&job).as_str(), job.alerts.len(), job.labels.len()), ("a@b.c", 1, 0));
    }
}
