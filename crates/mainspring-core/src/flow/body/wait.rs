//! `wait`: holds each item for a while. It waits in its queue, where it costs nothing, and others overtake it.

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Content, Done, done, rejected};
use crate::flow::machine::Disposal;
use crate::flow::queue::Header;
use crate::workflow::expression;

/// How long items wait.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// So many ms from when the component first sees them.
    For(i64),
    /// Until an instant in RFC 3339 that an expression makes.
    Until(String),
}

impl Wait {
    pub(super) fn perform(&self, items: &[Content], headers: &[Header], now: Timestamp) -> Done {
        let disposals: Result<Vec<Disposal>, String> = items
            .iter()
            .enumerate()
            .map(|(place, item)| {
                let delay_ms = self.delay_ms(item, headers.get(place), now)?;
                Ok(match delay_ms {
                    Some(delay_ms) => Disposal::Delay(delay_ms),
                    None => Disposal::Transfer { relationship: "success".to_owned(), changed: None },
                })
            })
            .collect();
        disposals.map_or_else(rejected, done)
    }

    /// How long an item waits from now on; not at all any more when `None`.
    fn delay_ms(&self, item: &Content, header: Option<&Header>, now: Timestamp) -> Result<Option<i64>, String> {
        match self {
            // An item that has waited was seen before.
            Self::For(ms) => Ok((*ms > 0 && header.is_none_or(|header| header.retries == 0)).then_some(*ms)),
            Self::Until(text) => {
                let made = expression::render(text, &item.values())
                    .map_err(|error| format!("the instant of \"until\" cannot be made: {error}"))?;
                let at: Timestamp = made
                    .trim()
                    .parse()
                    .map_err(|_| format!("\"until\" is no instant such as 2026-03-29T10:00:00Z: {}", made.trim()))?;
                Ok((at > now).then(|| at.since(now)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::item;
    use super::*;
    use crate::flow::Verdict;

    fn disposals(wait: &Wait, items: &[Content], headers: &[Header], now: i64) -> Vec<Disposal> {
        match wait.perform(items, headers, Timestamp::from_millis(now)).verdict {
            Verdict::Done { items, .. } => items,
            other => panic!("{other:?}"),
        }
    }

    fn pass() -> Disposal {
        Disposal::Transfer { relationship: "success".into(), changed: None }
    }

    #[test]
    fn an_item_waits_once_and_goes_on() {
        let header = |retries| Header {
            id: crate::flow::ItemId(1),
            order: 1,
            entered_at: Timestamp::from_millis(0),
            lineage_at: Timestamp::from_millis(0),
            priority: crate::flow::Priority::Absent,
            bytes: 0,
            penalty_until_ms: None,
            retries,
        };
        let items = [item(&[], "")];
        assert_eq!(disposals(&Wait::For(500), &items, &[header(0)], 0), [Disposal::Delay(500)]);
        assert_eq!(disposals(&Wait::For(500), &items, &[header(1)], 500), [pass()]);
    }

    #[test]
    fn an_item_waits_until_its_instant() {
        let wait = Wait::Until("${{ attributes.at }}".into());
        let items = [item(&[("at", "1970-01-01T00:00:02Z")], "")];
        assert_eq!(disposals(&wait, &items, &[], 500), [Disposal::Delay(1_500)]);
        assert_eq!(disposals(&wait, &items, &[], 2_000), [pass()]);
        for bad in ["soon", ""] {
            let done = wait.perform(&[item(&[("at", bad)], "")], &[], Timestamp::from_millis(0));
            assert!(matches!(done.verdict, Verdict::Rejected(_)), "{bad}");
        }
    }
}
