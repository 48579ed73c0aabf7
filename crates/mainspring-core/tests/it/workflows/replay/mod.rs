//! Compares recorded answers about workflows with ours. The folder's README says what the fields mean; where we differ from
//! Airflow on purpose, a rule here says when and how, and `docs/reference/workflows.md` why.

mod dags;
mod dates;
mod reprocess;
mod rerun;
mod rules;

use mainspring_core::workflow::TaskState;
use serde_json::Value;

/// A question to which we answer otherwise.
pub struct Difference {
    pub question: String,
    pub ours: String,
    pub theirs: String,
}

/// Compares our answer with that of a line of `file`.
///
/// # Panics
/// When the line is not of that file's form.
pub fn check(file: &str, case: &Value) -> Result<(), Difference> {
    match file {
        "trigger_rules.jsonl" => rules::check(case),
        "dags.jsonl" => dags::check(case),
        "timetables.jsonl" => dates::check_timetable(case),
        "backfill.jsonl" => dates::check_backfill(case),
        "reprocess.jsonl" => reprocess::check(case),
        "rerun.jsonl" => rerun::check(case),
        _ => panic!("{file} is no file of vectors about workflows"),
    }
}

/// Fails when the two are not the same.
fn same<T: PartialEq + std::fmt::Debug>(question: impl Into<String>, ours: &T, theirs: &T) -> Result<(), Difference> {
    if ours == theirs {
        return Ok(());
    }
    Err(Difference { question: question.into(), ours: format!("{ours:?}"), theirs: format!("{theirs:?}") })
}

/// A text field.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is no text in {value}"))
}

/// A list of texts; none where there is no such field.
fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    value[key].as_array().into_iter().flatten().map(|item| item.as_str().expect("a list of texts")).collect()
}

/// Airflow's word for a final state, or one of the reference for others.
fn state(word: &str) -> TaskState {
    match word {
        "success" => TaskState::Succeeded,
        "canceled" => TaskState::Cancelled,
        word => TaskState::from_word(word).unwrap_or_else(|| panic!("{word} is no state")),
    }
}

/// The same, the other way round.
fn word(state: TaskState) -> &'static str {
    match state {
        TaskState::Succeeded => "success",
        TaskState::Cancelled => "canceled",
        state => state.as_str(),
    }
}
