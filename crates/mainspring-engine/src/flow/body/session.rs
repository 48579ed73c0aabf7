//! `handler`: a function of the program around the engine, and the session in which it works on items.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use mainspring_core::flow::body::{Content, Done};
use mainspring_core::flow::{Disposal, ItemId, Output, Verdict};
use tokio::sync::watch;

use super::{Run, Told, failed};
use crate::clock::pause;
use crate::handler::HandlerError;

/// Handlers of flows by name.
pub type FlowHandlers = mainspring_tasks::Handlers<Session>;

/// An item that a session has handed out or makes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Item {
    /// Its attributes.
    pub attributes: std::collections::BTreeMap<String, String>,
    /// Its payload.
    pub payload: Vec<u8>,
    /// Its place among those of the session; nothing for one that the handler has made.
    place: Option<usize>,
    id: Option<ItemId>,
}

impl Item {
    /// Makes an item of a payload.
    #[must_use]
    pub fn new(payload: impl Into<Vec<u8>>) -> Self {
        Self { payload: payload.into(), ..Self::default() }
    }

    /// Returns it with an attribute.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }

    /// Its id, unique within the flow. Nothing for one that the handler has made.
    #[must_use]
    pub const fn id(&self) -> Option<i64> {
        match self.id {
            Some(id) => Some(id.0),
            None => None,
        }
    }

    fn content(&self) -> Content {
        Content { attributes: self.attributes.clone(), payload: self.payload.clone() }
    }
}

/// What a handler does with its items. All of it is kept in one transaction when the handler returns, or at [`Session::commit`];
/// nothing of it is kept when the handler fails before. Items that were handed out and not passed on return to their queue.
///
/// Cheap to clone; every clone is the same session.
#[derive(Clone, Debug)]
pub struct Session(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    flow: String,
    component: String,
    relationships: Vec<String>,
    state: Mutex<State>,
    told: watch::Receiver<Told>,
}

#[derive(Debug, Default)]
struct State {
    waiting: std::collections::VecDeque<Item>,
    disposals: Vec<Disposal>,
    contents: Vec<Content>,
    outputs: Vec<Output>,
    made: Vec<Content>,
    lines: Vec<String>,
    yields_ms: Option<i64>,
    is_closed: bool,
}

impl Session {
    /// `NAMESPACE/FLOW`.
    #[must_use]
    pub fn flow(&self) -> &str {
        &self.0.flow
    }

    /// The component.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.0.component
    }

    /// Returns the next item of the turn. `None`: there are no more; a source has none at all.
    #[must_use]
    pub fn get(&self) -> Option<Item> {
        let mut state = self.state();
        if state.is_closed { None } else { state.waiting.pop_front() }
    }

    /// Passes an item on under a relationship: one that was handed out, as it is now, or one that the handler has made.
    ///
    /// # Errors
    /// The component has no such relationship, or the session is committed.
    pub fn transfer(&self, item: Item, relationship: &str) -> Result<(), HandlerError> {
        if !self.0.relationships.iter().any(|it| it == relationship) {
            let known = self.0.relationships.join(", ");
            return Err(HandlerError(format!("\"{relationship}\" is no relationship of the component: {known}")));
        }
        let mut state = self.open()?;
        let content = item.content();
        let (bytes, priority) = (content.bytes(), content.priority());
        let relationship = relationship.to_owned();
        match item.place {
            Some(place) => {
                let changed = (state.contents[place] != content).then_some((bytes, priority));
                state.disposals[place] = Disposal::Transfer { relationship, changed };
                state.contents[place] = content;
            }
            None => {
                // What a handler makes is as old as the first item that it has.
                let parent = (!state.disposals.is_empty()).then_some(0);
                state.outputs.push(Output { relationship, bytes, priority, parent });
                state.made.push(content);
            }
        }
        Ok(())
    }

    /// Ends an item that was handed out.
    ///
    /// # Errors
    /// The session is committed.
    pub fn remove(&self, item: &Item) -> Result<(), HandlerError> {
        self.dispose(item, Disposal::Remove)
    }

    /// Returns an item to its queue, where it is passed over for the component's penalty.
    ///
    /// # Errors
    /// The session is committed.
    pub fn penalize(&self, item: &Item) -> Result<(), HandlerError> {
        self.dispose(item, Disposal::Penalize)
    }

    /// Lets the component rest after this turn.
    ///
    /// # Errors
    /// The session is committed.
    pub fn yield_for(&self, rest: Duration) -> Result<(), HandlerError> {
        self.open()?.yields_ms = Some(i64::try_from(rest.as_millis()).unwrap_or(i64::MAX));
        Ok(())
    }

    /// Writes a line into the component's log.
    pub fn log(&self, line: impl Into<String>) {
        self.state().lines.push(line.into());
    }

    /// Ends the session: what was done so far is kept, even if the handler fails afterwards.
    ///
    /// # Errors
    /// It was ended before.
    pub fn commit(&self) -> Result<(), HandlerError> {
        self.open()?.is_closed = true;
        Ok(())
    }

    /// Returns once the component is terminated, or the node stops. The handler is dropped a grace period later, and what it does
    /// counts for nothing any more.
    pub async fn cancelled(&self) {
        let mut told = self.0.told.clone();
        if told.wait_for(|told| *told != Told::GoOn).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the component was terminated: what the handler does counts for nothing any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.told.borrow() != Told::GoOn
    }

    fn dispose(&self, item: &Item, disposal: Disposal) -> Result<(), HandlerError> {
        let mut state = self.open()?;
        if let Some(place) = item.place {
            state.disposals[place] = disposal;
        }
        Ok(())
    }

    fn open(&self) -> Result<MutexGuard<'_, State>, HandlerError> {
        let state = self.state();
        if state.is_closed { Err(HandlerError("the session is committed".to_owned())) } else { Ok(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    pub(super) async fn handler(&self, name: &str, contents: &mut Vec<Content>) -> Done {
        let Some(handler) = self.tools.handlers.find(name) else {
            return failed(format!("this program has no handler \"{name}\" for flows"));
        };
        let session = self.session(contents);
        let called = std::panic::AssertUnwindSafe(async { handler.call(session.clone()).await }).catch_unwind();
        let result = tokio::select! {
            result = called => result.unwrap_or_else(|panic| Err(HandlerError::of_panic(&*panic))),
            () = self.out_of_time() => return failed("the handler was given up".to_owned()),
        };
        // Clones that are still somewhere have nothing to work on any more.
        let closed = State { is_closed: true, ..State::default() };
        let mut state = std::mem::replace(&mut *session.state(), closed);
        if let Err(error) = &result {
            if !state.is_closed {
                return Done { lines: state.lines, ..failed(error.0.clone()) };
            }
            state.lines.push(format!("the handler failed after it had committed: {}", error.0));
        }
        *contents = state.contents;
        let verdict = Verdict::Done { items: state.disposals, outputs: state.outputs, yields: state.yields_ms };
        Done { verdict, made: state.made, lines: state.lines }
    }

    /// Returns when a handler that was asked to end has had time for it.
    async fn out_of_time(&self) {
        self.given_up().await;
        pause(u64::try_from(self.tools.kill_grace.as_millis()).unwrap_or(u64::MAX)).await;
    }

    fn session(&self, contents: &[Content]) -> Session {
        let item = |(place, content): (usize, &Content)| Item {
            attributes: content.attributes.clone(),
            payload: content.payload.clone(),
            place: Some(place),
            id: self.start.items.get(place).map(|header| header.id),
        };
        let state = State {
            waiting: contents.iter().enumerate().map(item).collect(),
            disposals: vec![Disposal::Keep; contents.len()],
            contents: contents.to_vec(),
            ..State::default()
        };
        Session(Arc::new(Shared {
            flow: self.flow.clone(),
            component: self.component.clone(),
            relationships: self.body.relationships(),
            state: Mutex::new(state),
            told: self.told.clone(),
        }))
    }
}
