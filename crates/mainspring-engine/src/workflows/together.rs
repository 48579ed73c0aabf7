//! Asks the store together for what many workflow runs wait for: one transaction does for all of them.

use std::sync::Mutex;

use mainspring_store::{Error, Result, causes};
use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::lock;

/// What one run asks for, and who waits for the answer.
type Waiting<Q, A> = (Q, oneshot::Sender<Result<A>>);

/// Requests of one kind. All who ask belong to one loop: if that is given up, they all are.
pub(super) struct Together<Q, A> {
    waiting: Mutex<Vec<Waiting<Q, A>>>,
    /// Whoever has it asks the store.
    turn: tokio::sync::Mutex<()>,
    /// How much a request weighs, and what is asked for at once weighs together, unless one alone weighs more.
    weight: fn(&Q) -> usize,
    weight_max: usize,
}

impl<Q: Clone, A> Together<Q, A> {
    pub(super) fn new(weight: fn(&Q) -> usize, weight_max: usize) -> Self {
        Self { waiting: Mutex::default(), turn: tokio::sync::Mutex::default(), weight, weight_max }
    }

    /// Asks for one thing, together with all that others ask for by now. `all` answers in the order of what it is asked.
    ///
    /// # Errors
    /// The store could not answer. What it refuses of several is asked one by one, so that each hears of its own alone.
    pub(super) async fn ask<W>(&self, one: &Q, all: impl Fn(Vec<Q>) -> W) -> Result<A>
    where
        W: Future<Output = Result<Vec<A>>>,
    {
        let (tell, mut told) = oneshot::channel();
        lock(&self.waiting).push((one.clone(), tell));
        // Others of the loop get in, too.
        yield_now().await;
        let turn = self.turn.lock().await;
        while told.is_empty() && !told.is_terminated() {
            let (asked, tell): (Vec<Q>, Vec<oneshot::Sender<Result<A>>>) = self.take().into_iter().unzip();
            if asked.is_empty() {
                break;
            }
            answer(all(asked).await, tell);
        }
        drop(turn);
        match told.try_recv() {
            Ok(answer) => answer,
            Err(_) => {
                let alone = all(vec![one.clone()]).await?.pop();
                alone.ok_or_else(|| unavailable("a request was not answered".to_owned()))
            }
        }
    }

    /// What is asked for next, oldest first.
    fn take(&self) -> Vec<Waiting<Q, A>> {
        let mut waiting = lock(&self.waiting);
        waiting.retain(|(_, tell)| !tell.is_closed());
        let mut weight = 0;
        let fits = waiting.iter().take_while(|(one, _)| {
            let is_first = weight == 0;
            weight += (self.weight)(one).max(1);
            is_first || weight <= self.weight_max
        });
        let count = fits.count();
        waiting.drain(..count).collect()
    }
}

/// Hands answers out. Nothing is said where each of several is to ask for itself.
fn answer<A>(answered: Result<Vec<A>>, mut tell: Vec<oneshot::Sender<Result<A>>>) {
    match answered {
        Ok(answers) => tell.into_iter().zip(answers).for_each(|(tell, answer)| _ = tell.send(Ok(answer))),
        Err(Error::Closed) => tell.into_iter().for_each(|tell| _ = tell.send(Err(Error::Closed))),
        Err(error @ Error::Unavailable { .. }) => {
            let why = causes(&error);
            tell.into_iter().for_each(|tell| _ = tell.send(Err(unavailable(why.clone()))));
        }
        Err(error) if tell.len() == 1 => _ = tell.remove(0).send(Err(error)),
        Err(_) => {}
    }
}

fn unavailable(why: String) -> Error {
    Error::Unavailable { operation: "advance workflow runs", source: why.into() }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    /// Asks for the double of numbers, and answers what was asked at once.
    async fn doubles(
        numbers: std::ops::Range<u32>,
        weight: fn(&u32) -> usize,
        refuses: impl Fn(&[u32]) -> Option<Error>,
    ) -> (Vec<Result<u32>>, Vec<Vec<u32>>) {
        let (together, asked) = (Together::new(weight, 10), Mutex::new(Vec::new()));
        let all = |numbers: Vec<u32>| {
            let answer = match refuses(&numbers) {
                Some(error) => Err(error),
                None => Ok(numbers.iter().map(|number| number * 2).collect()),
            };
            lock(&asked).push(numbers);
            std::future::ready(answer)
        };
        let numbers: Vec<u32> = numbers.collect();
        let answers = join_all(numbers.iter().map(|number| together.ask(number, all))).await;
        (answers, asked.into_inner().unwrap())
    }

    #[tokio::test]
    async fn what_waits_is_asked_for_at_once_up_to_a_weight() {
        let (answers, asked) = doubles(0..25, |_| 1, |_| None).await;
        assert_eq!(
            answers.into_iter().map(Result::unwrap).collect::<Vec<_>>(),
            (0..25).map(|it| it * 2).collect::<Vec<_>>()
        );
        assert_eq!(asked.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 5]);
        let (_, asked) = doubles(0..4, |number| [3, 8, 20, 1][*number as usize], |_| None).await;
        assert_eq!(asked, [vec![0], vec![1], vec![2], vec![3]], "what weighs more alone goes alone");
    }

    #[tokio::test]
    async fn what_is_refused_keeps_nothing_else_from_its_answer() {
        let refused = || Error::Rejected { operation: "double", source: "it is seven".into() };
        let (answers, asked) = doubles(5..9, |_| 1, |numbers| numbers.contains(&7).then(refused)).await;
        let known: Vec<Option<u32>> = answers.into_iter().map(Result::ok).collect();
        assert_eq!(known, [Some(10), Some(12), None, Some(16)]);
        assert_eq!(asked.len(), 5, "{asked:?}");

        let (answers, asked) = doubles(7..8, |_| 1, |numbers| numbers.contains(&7).then(refused)).await;
        assert!(matches!(answers[..], [Err(Error::Rejected { .. })]));
        assert_eq!(asked.len(), 1, "what was asked alone is not asked again");
    }

    #[tokio::test]
    async fn all_hear_of_a_store_that_cannot_answer() {
        let gone = || Error::Unavailable { operation: "double", source: "it is gone".into() };
        let (answers, asked) = doubles(0..9, |_| 1, |_| Some(gone())).await;
        assert!(answers.iter().all(|answer| matches!(answer, Err(Error::Unavailable { .. }))));
        assert_eq!(asked.len(), 1, "it is asked once");
    }
}
