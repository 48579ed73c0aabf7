//! `merge`: one item of several.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Content, Done, output};
use crate::flow::machine::{Disposal, Verdict};
use crate::flow::queue::Header;

/// How items become one. It has the attributes that all of them have alike, and `merge.count`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Merge {
    /// What stands between their payloads.
    pub separator: String,
    /// The attribute by whose value items belong together; all that one turn takes when absent.
    pub by: Option<String>,
}

impl Merge {
    pub(super) fn perform(&self, items: &[Content], headers: &[Header]) -> Done {
        let mut groups: BTreeMap<Option<&String>, Vec<usize>> = BTreeMap::new();
        for (place, item) in items.iter().enumerate() {
            let key = self.by.as_ref().and_then(|name| item.attributes.get(name));
            groups.entry(key).or_default().push(place);
        }
        // Groups leave in the order of their first items.
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_unstable_by_key(|places| places[0]);
        let made: Vec<Content> = groups.iter().map(|places| self.merged(places, items)).collect();
        let oldest = |places: &Vec<usize>| {
            places.iter().copied().min_by_key(|place| headers.get(*place).map(|header| header.lineage_at))
        };
        let outputs = made.iter().zip(&groups).map(|(content, places)| output(content, oldest(places))).collect();
        let verdict = Verdict::Done { items: vec![Disposal::Remove; items.len()], outputs, yields: None };
        Done { verdict, made, lines: Vec::new() }
    }

    fn merged(&self, places: &[usize], items: &[Content]) -> Content {
        let payloads: Vec<&[u8]> = places.iter().map(|place| items[*place].payload.as_slice()).collect();
        let mut attributes = items[places[0]].attributes.clone();
        attributes.retain(|name, value| places.iter().all(|place| items[*place].attributes.get(name) == Some(value)));
        attributes.insert("merge.count".to_owned(), places.len().to_string());
        Content { attributes, payload: payloads.join(self.separator.as_bytes()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::item;
    use super::*;

    #[test]
    fn items_become_one_with_what_they_have_alike() {
        let merge = Merge { separator: ", ".into(), by: None };
        let items = [item(&[("kind", "fruit"), ("id", "1")], "a"), item(&[("kind", "fruit"), ("id", "2")], "b")];
        let done = merge.perform(&items, &[]);
        assert_eq!(done.made, [item(&[("kind", "fruit"), ("merge.count", "2")], "a, b")]);
        let Verdict::Done { items, outputs, .. } = done.verdict else { panic!() };
        assert_eq!((items, outputs.len()), (vec![Disposal::Remove; 2], 1));
    }

    #[test]
    fn items_of_one_value_belong_together() {
        let merge = Merge { separator: String::new(), by: Some("to".into()) };
        let items = [item(&[("to", "z")], "1"), item(&[("to", "a")], "2"), item(&[], "3"), item(&[("to", "z")], "4")];
        let payloads: Vec<Vec<u8>> = merge.perform(&items, &[]).made.into_iter().map(|it| it.payload).collect();
        assert_eq!(payloads, [b"14".to_vec(), b"2".to_vec(), b"3".to_vec()]);
    }
}
