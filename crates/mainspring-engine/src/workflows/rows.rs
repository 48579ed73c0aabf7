//! Between the rows of the store and tasks in memory.

use mainspring_store::{TaskRow, WorkflowRow};

/// Characters of a reason that are kept.
const REASON_MAX: usize = 1_000;

/// The rows of a run, without those of items of an earlier generation.
pub(super) fn current(row: &WorkflowRow) -> impl Iterator<Item = &TaskRow> {
    let mut whole: Option<&TaskRow> = None;
    row.tasks.iter().filter(move |task| {
        if task.item.is_none() {
            whole = Some(task);
        }
        whole.is_none_or(|whole| whole.task != task.task || whole.generation == task.generation)
    })
}

/// A reason as it is kept: databases keep no NUL, and nobody reads more.
pub(super) fn short(reason: String) -> String {
    if reason.len() <= REASON_MAX && !reason.contains('\0') {
        return reason;
    }
    let mut kept: String = reason.replace('\0', "\u{fffd}").chars().take(REASON_MAX).collect();
    kept.push('…');
    kept
}
