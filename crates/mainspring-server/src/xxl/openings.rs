//! Writes attempts down before they are sent: those that come together, in one transaction.

use std::sync::{Arc, Mutex};

use mainspring_store::{Document, DocumentExpect, Error, Store};
use tokio::sync::oneshot;

use super::sync::lock;

/// Documents that are written at a time.
const AT_ONCE: usize = 500;

/// A document, and who waits to hear whether it is kept. Nothing is said where nobody knows.
type Waiting = (Document, oneshot::Sender<bool>);

/// What waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    waiting: Mutex<Vec<Waiting>>,
    /// Whoever has it writes.
    turn: tokio::sync::Mutex<()>,
}

impl Openings {
    /// Keeps a document unless there is one of its name. False: there is one.
    ///
    /// # Errors
    /// The store could not say. The document may be there.
    pub(crate) async fn add(&self, store: &Arc<dyn Store>, document: Document) -> Result<bool, Error> {
        let (tell, told) = oneshot::channel();
        lock(&self.waiting).push((document.clone(), tell));
        let turn = self.turn.lock().await;
        while told.is_empty() && !told.is_terminated() {
            let batch: Vec<Waiting> = {
                let mut waiting = lock(&self.waiting);
                // Nobody would send what is given up already.
                waiting.retain(|(_, tell)| !tell.is_closed());
                let count = waiting.len().min(AT_ONCE);
                waiting.drain(..count).collect()
            };
            if batch.is_empty() {
                break;
            }
            // A task of its own: others wait for it, too, when this one is given up.
            let _ended = tokio::spawn(write(Arc::clone(store), batch)).await;
        }
        drop(turn);
        match told.await {
            Ok(is_kept) => Ok(is_kept),
            Err(_) => Ok(store.put_document(document, DocumentExpect::Absent).await?.is_some()),
        }
    }
}

/// Keeps documents, and says for each whether it is kept. After an error each asks for itself.
async fn write(store: Arc<dyn Store>, batch: Vec<Waiting>) {
    let (documents, tell): (Vec<Document>, Vec<oneshot::Sender<bool>>) = batch.into_iter().unzip();
    if let Ok(kept) = store.add_documents(documents).await {
        tell.into_iter().zip(kept).for_each(|(tell, is_kept)| _ = tell.send(is_kept));
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use mainspring_schedule::Timestamp;
    use mainspring_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn each_hears_whether_its_own_document_is_kept() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (openings, at) = (Openings::default(), Timestamp::from_millis(1_000));
        let document = |number: usize| Document {
            kind: "sent".to_owned(),
            name: (number % 700).to_string(),
            body: number.to_string(),
            version: 0,
            at,
            expires_at: None,
        };
        let added = join_all((0..1_400).map(|number| openings.add(&store, document(number)))).await;
        let kept: Vec<usize> = (0..1_400).filter(|number| *added[*number].as_ref().unwrap()).collect();
        assert_eq!(kept, (0..700).collect::<Vec<_>>());
        let first = store.document("sent", "0", at).await.unwrap().unwrap();
        assert_eq!(first.body, "0");
    }

    #[tokio::test]
    async fn whoever_is_given_up_takes_no_answer_from_others() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let openings = Openings::default();
        let document = |name: &str| Document {
            kind: "sent".to_owned(),
            name: name.to_owned(),
            body: String::new(),
            version: 0,
            at: Timestamp::from_millis(1_000),
            expires_at: None,
        };
        let turn = openings.turn.lock().await;
        let (mut first, mut second) =
            (Box::pin(openings.add(&store, document("a"))), Box::pin(openings.add(&store, document("b"))));
        assert!(futures_util::poll!(&mut first).is_pending() && futures_util::poll!(&mut second).is_pending());
        drop(turn);
        // It has the turn and has given the batch away.
        assert!(futures_util::poll!(&mut first).is_pending());
        drop(first);
        assert!(second.await.unwrap());
    }
}
