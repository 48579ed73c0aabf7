//! Answers to clients of XXL-JOB whose request is refused: one line.

use mainspring_api::Problem;

use crate::refusal::Refusal;

/// What XXL-JOB says to a wrong token.
pub(super) const WRONG_TOKEN: &str = "The access token is wrong.";

/// What came of something, or why nothing did, in words.
pub(super) type Told<T> = Result<T, String>;

/// Why a request was refused, in one line.
pub(super) fn said(refusal: impl Into<Refusal>) -> String {
    let details = refusal.into().0;
    let told = |problem: &Problem| format!("{} ({})", problem.message, problem.code.as_str());
    let all: Vec<String> = details.errors.iter().map(told).collect();
    match all.is_empty() {
        true => details.detail.clone(),
        false => all.join("; "),
    }
}
