//! Doing one thing to several named things: all are tried, and the exit code tells how many worked.

use crate::error::{Error, Result};
use crate::exit::Exit;

/// Calls `act` for each name in order, and returns what worked.
///
/// # Errors
/// The error itself when nothing worked, or `partial` (exit 11) with every report when some did.
/// What worked is in the error's place on stdout already: `done` is called for each as it happens.
pub async fn each<N, T>(
    names: &[N],
    mut act: impl AsyncFnMut(&N) -> Result<T>,
    mut done: impl FnMut(&T) -> Result,
) -> Result {
    let mut failure: Option<Error> = None;
    let mut succeeded = 0_usize;
    for name in names {
        match act(name).await {
            Ok(result) => {
                done(&result)?;
                succeeded += 1;
            }
            Err(error) => failure = Some(join(failure, error)),
        }
    }
    match failure {
        None => Ok(()),
        Some(error) if succeeded == 0 => Err(error),
        Some(error) => Err(Error { exit: Exit::Partial, ..error }),
    }
}

/// Calls `act` for each name in order, and hands what worked to `done`, all at once.
///
/// # Errors
/// As [`each`].
pub async fn gather<N, T: Clone>(
    names: &[N],
    act: impl AsyncFnMut(&N) -> Result<T>,
    done: impl FnOnce(Vec<T>) -> Result,
) -> Result {
    let mut found = Vec::new();
    let outcome = each(names, act, |result| {
        found.push(result.clone());
        Ok(())
    })
    .await;
    if !found.is_empty() {
        done(found)?;
    }
    outcome
}

/// Adds the reports of a further error; different exit codes become plain failure.
fn join(before: Option<Error>, error: Error) -> Error {
    let Some(mut all) = before else {
        return error;
    };
    if all.exit != error.exit {
        all.exit = Exit::Failure;
    }
    all.reports.extend(error.reports);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Report;

    fn odd_is_missing(number: &u32) -> Result<u32> {
        match number % 2 {
            0 => Ok(*number),
            _ => Err(Error::new(Exit::NotFound, Report::new("a.not_found", number.to_string()))),
        }
    }

    #[tokio::test]
    async fn the_exit_code_tells_how_many_worked() {
        let cases = [
            (vec![2, 4], None),
            (vec![1, 2, 3], Some((Exit::Partial, 2))),
            (vec![1, 3], Some((Exit::NotFound, 2))),
            (vec![], None),
        ];
        for (numbers, expected) in cases {
            let mut done = Vec::new();
            let result = each(
                &numbers,
                async |number| odd_is_missing(number),
                |number| {
                    done.push(*number);
                    Ok(())
                },
            )
            .await;
            let failure = result.err().map(|error| (error.exit, error.reports.len()));
            assert_eq!(failure, expected, "{numbers:?}");
            assert_eq!(done.len(), numbers.iter().filter(|n| *n % 2 == 0).count());
        }
    }
}
