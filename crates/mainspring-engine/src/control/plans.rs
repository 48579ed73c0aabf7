//! Plans of backfills that were shown: kept for a day, so that a refusal can say what has changed since.

use std::collections::BTreeMap;

use mainspring_core::Timestamp;
use mainspring_core::workflow::backfill::{Action, Spec};
use mainspring_store::{Document, DocumentExpect};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Control;
use super::backfills::{Plan, counts};

const KIND: &str = "backfill_plan";
const KEPT_MS: i64 = 86_400_000;
/// Fire times of a plan that are kept. Of a longer one, it is kept how many there are by action.
const ROWS_MAX: usize = 2_000;
/// Changes that a refusal names.
const NAMED_MAX: usize = 5;

/// A plan as it was shown.
#[derive(Serialize, Deserialize)]
struct Seen {
    job_version: i64,
    spec: Spec,
    rows: Vec<(Timestamp, Action)>,
    /// The same of what depends on it, with the names of the jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    below: Vec<(String, Timestamp, Action)>,
}

impl Seen {
    fn of(plan: &Plan) -> Self {
        let rows = plan.rows.iter().map(|row| (row.fire_time, row.action));
        let rows = if plan.rows.len() > ROWS_MAX { Vec::new() } else { rows.collect() };
        let below = plan.rows_below();
        let below = below.into_iter().take(ROWS_MAX).map(|(key, _, row)| (key.name.clone(), row.fire_time, row.action));
        Self { job_version: plan.job_version.0, spec: plan.spec.clone(), rows, below: below.collect() }
    }
}

impl Control {
    /// Remembers a plan that is shown.
    pub(super) async fn remember_plan(&self, plan: &Plan) -> mainspring_store::Result<()> {
        let body = serde_json::to_string(&Seen::of(plan)).expect("plain data has a text");
        let at = self.now();
        let (kind, name) = (KIND.to_owned(), plan.spec.plan.clone());
        let document = Document { kind, name, body, version: 0, at, expires_at: Some(at + KEPT_MS) };
        self.store.put_document(document, DocumentExpect::Absent).await?;
        Ok(())
    }

    /// Says how a plan differs from one that was shown.
    pub(super) async fn difference(&self, asked: &str, now: &Plan) -> mainspring_store::Result<String> {
        let seen = self.store.document(KIND, asked, self.now()).await?;
        let seen = seen.and_then(|document| serde_json::from_str::<Seen>(&document.body).ok());
        let changes = seen.map(|seen| changes(&seen, &Seen::of(now))).unwrap_or_default();
        let present = format!("now {}", counts(&now.spec.actions));
        let more = changes.len().saturating_sub(NAMED_MAX);
        let mut named: Vec<String> = changes.into_iter().take(NAMED_MAX).collect();
        named.extend((more > 0).then(|| format!("{more} more")));
        named.push(present);
        Ok(named.join("; "))
    }
}

/// What differs: choices first, then fire times in their order.
fn changes(before: &Seen, now: &Seen) -> Vec<String> {
    let mut changes = Vec::new();
    if before.job_version != now.job_version {
        changes.push(format!("version {} → {}", before.job_version, now.job_version));
    }
    let fields = |spec: &Spec| serde_json::to_value(spec).expect("plain data has a text");
    if let (Value::Object(old), Value::Object(new)) = (fields(&before.spec), fields(&now.spec)) {
        // The range ends now where no end was given; what matters of it are its fire times.
        let choices = old.iter().filter(|(name, _)| !["plan", "actions", "from", "to"].contains(&name.as_str()));
        let changed = choices.filter(|(name, value)| new.get(*name) != Some(value));
        changes.extend(changed.map(|(name, value)| format!("{name} {value} → {}", new[name])));
    }
    let rows = |seen: &Seen| -> BTreeMap<(String, Timestamp), Action> {
        let own = seen.rows.iter().map(|(fire, action)| ((String::new(), *fire), *action));
        own.chain(seen.below.iter().map(|(job, fire, action)| ((format!("{job} "), *fire), *action))).collect()
    };
    let (old, new) = (rows(before), rows(now));
    for (date @ (job, fire), action) in &old {
        match new.get(date) {
            Some(other) if other != action => changes.push(format!("{job}{fire} {action} → {other}")),
            Some(_) => {}
            None => changes.push(format!("{job}{fire} {action} → gone")),
        }
    }
    let added = new.iter().filter(|(date, _)| !old.contains_key(date));
    changes.extend(added.map(|((job, fire), action)| format!("{job}{fire} new: {action}")));
    changes
}

#[cfg(test)]
mod tests {
    use mainspring_core::workflow::backfill::{Order, Reprocess};

    use super::*;

    fn seen(job_version: i64, max_active: u32, rows: &[(i64, Action)]) -> Seen {
        let at = |second: i64| Timestamp::from_millis(second * 1_000);
        let spec = Spec {
            trigger: "t".into(),
            zone: "UTC".into(),
            from: at(0),
            to: at(job_version),
            reprocess: Reprocess::Missing,
            part: None,
            cascade: false,
            order: Order::Ascending,
            max_active,
            stop_on_failure: false,
            priority: 0,
            plan: job_version.to_string(),
            actions: BTreeMap::new(),
        };
        Seen {
            job_version,
            spec,
            rows: rows.iter().map(|(second, action)| (at(*second), *action)).collect(),
            below: Vec::new(),
        }
    }

    #[test]
    fn what_has_changed_since_a_plan_was_shown_is_named() {
        let before = seen(1, 1, &[(1, Action::Create), (2, Action::Create), (3, Action::Keep)]);
        let now = seen(2, 4, &[(1, Action::Create), (2, Action::Active), (4, Action::Create)]);
        let expected = [
            "version 1 → 2",
            "max_active 1 → 4",
            "1970-01-01T00:00:02.000Z create → active",
            "1970-01-01T00:00:03.000Z keep → gone",
            "1970-01-01T00:00:04.000Z new: create",
        ];
        assert_eq!(changes(&before, &now), expected);
        assert!(changes(&before, &before).is_empty());
        let date = Timestamp::from_millis(0);
        let below = |action| Seen { below: vec![("report".into(), date, action)], ..seen(1, 1, &[]) };
        let changed = changes(&below(Action::Create), &below(Action::Active));
        assert_eq!(changed, ["report 1970-01-01T00:00:00.000Z create → active"]);
    }
}
