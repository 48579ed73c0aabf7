//! Work of requests that takes longer than half a millisecond: on threads that give way to the engine's, only so many at a time,
//! for a limited time, and no longer than somebody waits for it.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use mainspring_api::ErrorCode;
use tokio::sync::Semaphore;

use crate::refusal::{Answer, Refusal};

/// How long the work of one request may take. The largest apply that the limits allow takes some seconds.
const TIME_MAX: Duration = Duration::from_secs(20);
/// How long a request waits for its turn.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Requests that are worked on at a time: each holds what it has read in memory.
static ROOM: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Arc::new(Semaphore::new(cores.clamp(2, 8)))
});

thread_local! {
    static NOW: RefCell<Option<Order>> = const { RefCell::new(None) };
}

/// A piece of work: until when it may go on, and whether anybody still waits for it.
#[derive(Clone)]
struct Order {
    until: Instant,
    given_up: Arc<AtomicBool>,
}

/// Says that nobody waits any more when it goes, as it does with the request of a caller that is gone.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does work that takes longer than half a millisecond, on a thread that gives way to the engine's.
///
/// # Errors
/// `server.busy` when there is no room for it within ten seconds, and `server.draining` at the end of the process.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    let busy = |_| Refusal::new(ErrorCode::ServerBusy, "too many large requests are at work");
    let room = tokio::time::timeout(WAIT_MAX, Arc::clone(&ROOM).acquire_owned()).await.map_err(busy)?;
    let waiting = Waiting(Arc::default());
    let order = Order { until: Instant::now() + TIME_MAX, given_up: Arc::clone(&waiting.0) };
    let done = tokio::task::spawn_blocking(move || {
        give_way();
        // Held by the work itself: what nobody waits for any more takes its room until it ends.
        let _room = room;
        NOW.set(Some(order));
        let answer = may_go_on().and_then(|()| work());
        NOW.set(None);
        answer
    })
    .await;
    drop(waiting);
    match done {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Refusal::new(ErrorCode::ServerDraining, "the server is shutting down")),
        },
    }
}

/// Refuses to go on with work that takes too long, or that nobody waits for. For loops over what a request brings.
///
/// # Errors
/// `server.busy` when the time of the request is over or its caller has gone.
pub(crate) fn may_go_on() -> Answer<()> {
    let over = NOW.with_borrow(|order| {
        order.as_ref().is_some_and(|order| order.given_up.load(Ordering::Relaxed) || Instant::now() > order.until)
    });
    match over {
        false => Ok(()),
        true => {
            let detail = format!("the request takes longer than {} s of work", TIME_MAX.as_secs());
            Err(Refusal::new(ErrorCode::ServerBusy, detail).hint("send less at once"))
        }
    }
}

/// Lowers the priority of this thread (Linux takes the call for a process as one for the thread). It stays so: no thread
/// of the pool for work like this has anything urgent to do.
fn give_way() {
    const NICE: i32 = 10;
    thread_local!(static DONE: Cell<bool> = const { Cell::new(false) });
    if !DONE.replace(true) {
        // Without it, the work competes with the engine for the processor.
        let _lowered = rustix::process::setpriority_process(None, NICE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn work_ends_when_nobody_waits_for_it() {
        let (begun, has_begun) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        let work = off_thread(move || {
            begun.send(()).unwrap();
            let refused = loop {
                if let Err(refusal) = may_go_on() {
                    break refusal;
                }
                std::thread::yield_now();
            };
            ended.send(refused.code()).unwrap();
            Ok(())
        });
        let request = tokio::spawn(work);
        tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
        request.abort();
        let code = tokio::task::spawn_blocking(move || has_ended.recv().unwrap()).await.unwrap();
        assert_eq!(code, Some(ErrorCode::ServerBusy));
    }

    #[test]
    fn what_is_no_work_of_a_request_goes_on() {
        assert!(may_go_on().is_ok());
    }
}
