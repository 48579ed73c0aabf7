//! Documents that the server keeps for itself.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use super::kit::{Draft, Kit, at};
use super::webhooks::KEEP;
use crate::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE, Error, JobWrite, PurgeRule, Store};

fn document(kind: &str, name: &str, body: &str, now: i64, expires_at: Option<i64>) -> Document {
    let (kind, name, body) = (kind.into(), name.into(), body.into());
    Document { kind, name, body, version: 0, at: at(now), expires_at: expires_at.map(at) }
}

async fn put(store: &dyn Store, document: Document, expect: DocumentExpect) -> Option<i64> {
    store.put_document(document, expect).await.expect("put_document").map(|written| written.version)
}

async fn names(store: &dyn Store, kind: &str, after: Option<&str>, now: i64, limit: u32) -> Vec<String> {
    let found = store.documents(kind, after, at(now), limit).await.expect("documents");
    found.into_iter().map(|document| document.name).collect()
}

pub async fn documents_are_kept_by_kind_and_name(store: Arc<dyn Store>) {
    let store = &*store;
    let long = "ü\n\"".repeat(50_000);
    for (kind, name) in [("view", "b"), ("view", "a"), ("view", "C"), ("other", "a")] {
        let made = document(kind, name, &format!("{kind}/{name}{long}"), 1_000, None);
        assert_eq!(put(store, made, DocumentExpect::Anything).await, Some(1));
    }
    let found = store.document("view", "a", at(2_000)).await.expect("document").expect("it is there");
    assert_eq!(found, Document { version: 1, ..document("view", "a", &format!("view/a{long}"), 1_000, None) });
    assert_eq!(store.document("view", "A", at(2_000)).await.expect("document"), None);
    assert_eq!(names(store, "view", None, 2_000, 10).await, ["C", "a", "b"]);
    assert_eq!(names(store, "view", Some("C"), 2_000, 1).await, ["a"]);
    assert_eq!(names(store, "none", None, 2_000, 10).await, [""; 0]);
    assert!(store.remove_document("view", "a").await.expect("remove_document"));
    assert!(!store.remove_document("view", "a").await.expect("remove_document"));
    assert_eq!(names(store, "view", None, 2_000, 10).await, ["C", "b"]);
    assert_eq!(names(store, "other", None, 2_000, 10).await, ["a"]);
}

pub async fn documents_are_written_over_what_was_expected_alone(store: Arc<dyn Store>) {
    let store = &*store;
    let new = |body: &str| document("view", "a", body, 1_000, None);
    assert_eq!(put(store, new("0"), DocumentExpect::Version(1)).await, None);
    assert_eq!(put(store, new("1"), DocumentExpect::Absent).await, Some(1));
    assert_eq!(put(store, new("x"), DocumentExpect::Absent).await, None);
    assert_eq!(put(store, new("2"), DocumentExpect::Version(1)).await, Some(2));
    assert_eq!(put(store, new("x"), DocumentExpect::Version(1)).await, None);
    assert_eq!(put(store, new("3"), DocumentExpect::Anything).await, Some(3));
    let found = store.document("view", "a", at(2_000)).await.expect("document").expect("it is there");
    assert_eq!((found.body.as_str(), found.version), ("3", 3));
}

pub async fn documents_are_added_where_there_are_none(store: Arc<dyn Store>) {
    let store = &*store;
    put(store, document("sent", "b", "kept", 1_000, None), DocumentExpect::Anything).await;
    put(store, document("sent", "d", "gone", 1_000, Some(1_500)), DocumentExpect::Anything).await;
    put(store, document("other", "a", "kept", 1_000, None), DocumentExpect::Anything).await;
    let new = |name: &str, body: &str| document("sent", name, body, 2_000, Some(9_000));
    let added =
        vec![new("a", "{\"ü\": \"\\u0000 \\\" \"}"), new("b", "new"), new("c", "1"), new("c", "2"), new("d", "new")];
    let expected = [true, false, true, false, true];
    assert_eq!(store.add_documents(added.clone()).await.expect("add_documents"), expected);
    assert_eq!(store.add_documents(added.clone()).await.expect("add_documents"), [false; 5], "all are there");
    assert_eq!(store.add_documents(Vec::new()).await.expect("add_documents"), [false; 0]);
    for (document, is_kept) in added.into_iter().zip(expected) {
        let found = store.document("sent", &document.name, at(2_000)).await.expect("document").expect("it is there");
        assert_eq!(found == Document { version: 1, ..document }, is_kept, "{found:?}");
    }
    let many: Vec<Document> = (0..2_500).map(|number| new(&format!("{number:04}"), "many")).collect();
    assert_eq!(store.add_documents(many).await.expect("add_documents"), [true; 2_500]);
    assert_eq!(names(store, "sent", None, 9_000, 9).await, ["b"], "each has the end of its time");
}

pub async fn documents_expire(store: Arc<dyn Store>) {
    let store = &*store;
    for (name, expires_at) in [("a", Some(5_000)), ("b", Some(9_000)), ("c", None)] {
        let made = document("ended", name, "", 1_000, expires_at);
        assert_eq!(put(store, made, DocumentExpect::Anything).await, Some(1));
    }
    assert_eq!(names(store, "ended", None, 4_999, 10).await, ["a", "b", "c"]);
    assert_eq!(names(store, "ended", None, 5_000, 10).await, ["b", "c"]);
    assert_eq!(store.document("ended", "a", at(5_000)).await.expect("document"), None);
    // The next write of the kind takes it away, and its name is free.
    assert_eq!(put(store, document("ended", "a", "", 6_000, None), DocumentExpect::Absent).await, Some(1));
    assert_eq!(names(store, "ended", None, 9_000, 10).await, ["a", "c"]);
}

pub async fn documents_change_together_or_not_at_all(store: Arc<dyn Store>) {
    let store = &*store;
    let new = |name: &str, body: &str| document("alert", name, body, 1_000, None);
    for name in ["place", "a"] {
        assert_eq!(put(store, new(name, "0"), DocumentExpect::Absent).await, Some(1));
    }
    let remove = |name: &str, version| {
        let (kind, name) = ("alert".to_owned(), name.to_owned());
        DocumentChange::Remove { kind, name, version }
    };
    let all = |place| {
        let moved = DocumentChange::Put(new("place", "1"), DocumentExpect::Version(place));
        vec![moved, DocumentChange::Put(new("b", "1"), DocumentExpect::Absent), remove("a", 1)]
    };
    let conflict = |done| assert!(matches!(done, Err(Error::Conflict { .. })), "{done:?}");
    // The first, the last and the middle one in turn.
    conflict(store.change_documents(all(2)).await);
    conflict(store.change_documents([all(1), vec![remove("a", 1)]].concat()).await);
    conflict(store.change_documents([vec![remove("a", 2)], all(1)].concat()).await);
    assert_eq!(names(store, "alert", None, 2_000, 10).await, ["a", "place"]);
    let place = store.document("alert", "place", at(2_000)).await.expect("document").expect("it is there");
    assert_eq!((place.version, place.body.as_str()), (1, "0"));
    store.change_documents(all(1)).await.expect("everything is as expected");
    assert_eq!(names(store, "alert", None, 2_000, 10).await, ["b", "place"]);
    // Nobody does it twice.
    conflict(store.change_documents(all(1)).await);
    store.change_documents(Vec::new()).await.expect("nothing is to be done");
}

pub async fn purge_waits_for_places_among_events(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let store = &*kit.store;
    kit.save(Draft::new("job")).await;
    let last = store.last_event().await.expect("last_event");
    let purge = async || store.purge(PurgeRule { events_before: at(99_000), ..KEEP }).await.expect("purge");
    let left = async || store.events(0, 99).await.expect("events").iter().map(|event| event.seq).collect::<Vec<_>>();
    for (name, through) in [("a", last - 1), ("b", last)] {
        put(store, document(EVENTS_PLACE, name, &through.to_string(), 1_000, None), DocumentExpect::Anything).await;
    }
    purge().await;
    assert_eq!(left().await, [last], "one of them has not read it");
    put(store, document(EVENTS_PLACE, "a", &last.to_string(), 1_000, None), DocumentExpect::Anything).await;
    purge().await;
    assert_eq!(left().await, [0; 0]);
}

pub async fn documents_of_a_save_are_written_with_it_or_it_is_not_made(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let put = |body: &str| DocumentChange::Put(document("note", "a", body, 1_000, None), DocumentExpect::Absent);
    let body = async || {
        let found = kit.store.document("note", "a", at(2_000)).await.expect("document");
        found.map(|found| found.body).unwrap_or_default()
    };
    let kept = kit.save(Draft::new("job").with(|write| write.documents = vec![put("1")])).await;
    assert_eq!(body().await, "1");
    let paused = |documents: Vec<DocumentChange>| {
        let change = |write: &mut JobWrite| (write.paused, write.documents) = (true, documents);
        vec![Draft::from_kept(&kept).with(change).0]
    };
    let refused = kit.store.save_jobs(paused(vec![put("2")])).await;
    assert!(matches!(refused, Err(Error::Conflict { what: "document", .. })), "{refused:?}");
    let job = kit.store.job(&kept.job.definition.key).await.expect("job").expect("it is there");
    assert_eq!((job.paused, body().await.as_str()), (false, "1"), "nothing of it is saved");
    let remove = DocumentChange::Remove { kind: "note".to_owned(), name: "a".to_owned(), version: 1 };
    let saved = kit.store.save_jobs(paused(vec![remove, put("3")])).await.expect("everything is as expected");
    assert_eq!((saved[0].job.paused, body().await.as_str()), (true, "3"));
}
