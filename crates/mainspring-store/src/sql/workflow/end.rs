//! Ends of workflow runs that steps ask for.

use std::collections::BTreeSet;

use mainspring_core::JobId;
use mainspring_core::run::{RunEvent, RunState, Verdict, next_state};
use serde_json::json;

use super::gone;
use super::turn::Turn;
use crate::sql::Batches;
use crate::sql::complete::awaiting;
use crate::sql::db::{Step, ToSql, execute, on_servers, sql};
use crate::sql::gate::Gates;
use crate::sql::list::{self, hex, lists};
use crate::sql::run::free_slots;
use crate::sql::session::Session;
use crate::workflow::WorkflowStep;

/// The state in which a step leaves its run, and why.
fn ended(step: &WorkflowStep) -> (RunState, Option<&str>) {
    let (verdict, reason) =
        step.end.as_ref().map_or((Verdict::Failed, None), |(verdict, why)| (*verdict, why.as_deref()));
    (next_state(RunState::Running, RunEvent::Ended(verdict)).expect("a run that goes on can end"), reason)
}

/// Moves runs to history, and gives their slots to others.
pub(super) fn end<C: Batches>(session: &mut Session<C>, turns: &[&Turn<'_>], mut gates: Gates) -> Step<()> {
    let db = &session.connection;
    db.make_room(&mut turns.iter().map(|turn| turn.step.run))?;
    if C::LISTS {
        move_all(db, turns)?
    } else {
        turns.iter().try_for_each(|turn| move_one(db, turn.step))?
    }
    for turn in turns.iter().filter(|turn| turn.head.gated) {
        gates.leave(db, turn.head.job, RunState::Running)?;
    }
    for Turn { step, head, .. } in turns {
        let awaiting = awaiting(&session.connection, head.trigger, step.run)?;
        session.runs.end(step.run, head.job, head.version, ended(step).0);
        awaiting.into_iter().try_for_each(|trigger| session.note_trigger(trigger))?;
    }
    session.wakes = true;
    let jobs: BTreeSet<JobId> = turns.iter().map(|turn| turn.head.job).collect();
    free_slots(session, gates, &jobs)
}

fn move_one(db: &impl Batches, step: &WorkflowStep) -> Step<()> {
    let (state, reason) = ended(step);
    let values: [(&str, &dyn ToSql); 6] = [
        (":state", &state.as_str()),
        (":at", &step.at.as_millis()),
        (":keep_reason", &(state == RunState::Cancelled)),
        (":reason", &reason),
        (":output", &step.output),
        (":id", step.run.as_bytes()),
    ];
    if execute(db, sql!("workflow_end"), &values)? == 0 {
        return Err(gone());
    }
    execute(db, sql!("complete_remove"), &[(":id", step.run.as_bytes())])?;
    Ok(())
}

fn move_all(db: &impl Batches, turns: &[&Turn<'_>]) -> Step<()> {
    let row = |turn: &&Turn<'_>| {
        let ((state, reason), step) = (ended(turn.step), turn.step);
        let keep = i32::from(state == RunState::Cancelled);
        json!([hex(step.run), state.as_str(), step.at.as_millis(), keep, reason, step.output])
    };
    let mut moved = 0;
    for rows in lists(turns.iter().map(row)) {
        moved += execute(db, on_servers!("workflow_end_many", postgres, mysql), &[(":rows", &rows)])?;
        db.post(on_servers!("workflow_cancel_remove", postgres, mysql), &[(":rows", &rows)], None)?;
    }
    if moved == turns.len() as u64 { Ok(()) } else { Err(gone()) }
}

/// Forgets what ended runs were to hear, and what they awaited, where anybody awaits anything.
pub(super) fn forget<C: Batches>(db: &C, turns: &[&Turn<'_>], awaited: bool) -> Step<()> {
    if C::LISTS {
        let runs = list::of_runs(turns.iter().map(|turn| turn.step.run));
        db.post(on_servers!("workflow_forget_many", postgres, mysql), &[(":runs", &runs)], None)?;
    } else {
        for turn in turns {
            db.post(sql!("workflow_forget"), &[(":run", turn.step.run.as_bytes())], None)?;
        }
    }
    for turn in turns.iter().filter(|_| awaited) {
        db.post(sql!("await_forget"), &[(":run", turn.step.run.as_bytes())], None)?;
    }
    Ok(())
}
