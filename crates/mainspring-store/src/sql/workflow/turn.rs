//! Turns of workflow runs: which steps may be written, each with the ids of the runs that it makes.

use std::collections::{BTreeSet, HashMap, HashSet};

use mainspring_core::{JobId, JobVersion, RunId, TriggerId};
use serde_json::json;

use crate::sql::Batches;
use crate::sql::db::{Query, Row, Step, ToSql, execute, on_servers, read, run_id, sql};
use crate::sql::gate::Gates;
use crate::sql::list::{self, hex, lists};
use crate::workflow::WorkflowStep;

/// What a step has to know of its run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    turn: i64,
    /// How many ids of runs of tasks are given out.
    children: u32,
    pub(super) job: JobId,
    pub(super) version: JobVersion,
    pub(super) gated: bool,
    pub(super) trigger: Option<TriggerId>,
}

/// A step that has its turn.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    /// Its place among the steps that were asked for.
    pub(super) place: usize,
    pub(super) step: &'a WorkflowStep,
    pub(super) head: Head,
    /// The ids of the runs that it makes.
    pub(super) children: Vec<RunId>,
}

/// Takes the turns of steps. Steps that are late are left out, whoever else was faster; so is a second one of a run. Answers the gates of
/// those that end, too, which are locked.
pub(super) fn take<'a, C: Batches>(db: &C, steps: &'a [WorkflowStep]) -> Step<(Vec<Turn<'a>>, Gates)> {
    let gates = lock_ends(db, steps)?;
    let mut heads = heads(db, steps)?;
    let mut turns = Vec::with_capacity(steps.len());
    for (place, step) in steps.iter().enumerate() {
        if let Some(head) = heads.remove(&step.run).filter(|head| head.turn == step.turn) {
            turns.push(Turn { place, step, head, children: Vec::new() });
        }
    }
    choose_ids(db, &mut turns)?;
    write(db, &turns)?;
    Ok((turns, gates))
}

/// Locks gates, and then the runs that are to end: in this order, as whoever promotes runs does, and before the rows of their workflows.
fn lock_ends<C: Batches>(db: &C, steps: &[WorkflowStep]) -> Step<Gates> {
    let ends: BTreeSet<RunId> = steps.iter().filter(|step| step.end.is_some()).map(|step| step.run).collect();
    let mut gates = Gates::default();
    if ends.is_empty() {
        return Ok(gates);
    }
    let ids: Vec<[(&str, &dyn ToSql); 1]> = ends.iter().map(|run| [(":id", run.as_bytes() as &dyn ToSql)]).collect();
    let queries: Vec<Query<'_>> = ids.iter().map(|id| (sql!("cancel_read"), &id[..])).collect();
    let mut jobs = BTreeSet::new();
    db.each_of(&queries, &mut |_, row| {
        jobs.insert(JobId(row.get(0)?));
        Ok(())
    })?;
    gates.load(db, &jobs)?;
    if C::LISTS {
        let ends = list::of_runs(ends.into_iter());
        execute(db, on_servers!("workflow_lock_runs", postgres, mysql), &[(":runs", &ends)])?;
    }
    Ok(gates)
}

/// Where runs stand, whose rows are locked in the order of their ids.
fn heads<C: Batches>(db: &C, steps: &[WorkflowStep]) -> Step<HashMap<RunId, Head>> {
    let runs: BTreeSet<RunId> = steps.iter().map(|step| step.run).collect();
    let mut heads = HashMap::with_capacity(runs.len());
    if C::LISTS {
        let runs = list::of_runs(runs.into_iter());
        let found = read(db, on_servers!("workflow_heads", postgres, mysql), &[(":runs", &runs)], head)?;
        heads.extend(found);
    } else {
        for run in runs {
            heads.extend(read(db, sql!("workflow_head"), &[(":run", run.as_bytes())], head)?);
        }
    }
    Ok(heads)
}

fn head(row: &Row<'_>) -> Step<(RunId, Head)> {
    let head = Head {
        turn: row.get(1)?,
        children: row.get(2)?,
        job: JobId(row.get(3)?),
        version: JobVersion(row.get(4)?),
        gated: row.get(5)?,
        trigger: row.get::<Option<i64>>(6)?.map(TriggerId),
    };
    Ok((run_id(row, 0)?, head))
}

/// Chooses the ids of the runs that are to be made: the next after those given out before.
fn choose_ids(db: &impl Batches, turns: &mut [Turn<'_>]) -> Step<()> {
    loop {
        let mut new: Vec<(usize, Vec<RunId>)> = Vec::new();
        for (index, Turn { step, head, children, .. }) in turns.iter_mut().enumerate() {
            let wanted = step.tasks.iter().filter(|task| task.start.is_some()).count() - children.len();
            if wanted > 0 {
                let end = head.children + u32::try_from(wanted).expect("a step is bounded");
                new.push((index, (head.children..end).map(|number| step.run.shard(head.job, number)).collect()));
                head.children = end;
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        // Whoever asks for a run chooses its id: that of a task may be taken.
        let taken = taken(db, &new)?;
        for (index, ids) in new {
            turns[index].children.extend(ids.into_iter().filter(|id| !taken.contains(id)));
        }
    }
}

fn taken(db: &impl Batches, new: &[(usize, Vec<RunId>)]) -> Step<HashSet<RunId>> {
    let bounds = new.iter().filter_map(|(_, ids)| Some((ids.iter().min()?, ids.iter().max()?)));
    let values: Vec<[(&str, &dyn ToSql); 2]> =
        bounds.map(|(from, to)| [(":from", from.as_bytes() as &dyn ToSql), (":to", to.as_bytes())]).collect();
    let queries: Vec<Query<'_>> = values.iter().map(|values| (sql!("workflow_taken"), &values[..])).collect();
    let mut taken = HashSet::new();
    db.each_of(&queries, &mut |_, row| {
        taken.insert(run_id(row, 0)?);
        Ok(())
    })?;
    Ok(taken)
}

/// Notes that the turns are taken. The rows are locked, or there is one writer.
fn write<C: Batches>(db: &C, turns: &[Turn<'_>]) -> Step<()> {
    let next = |step: &WorkflowStep| if step.end.is_some() { 0 } else { step.turn + 1 };
    if C::LISTS {
        let row = |Turn { step, head, .. }: &Turn<'_>| {
            json!([
                hex(step.run),
                next(step),
                step.stop.map(|stop| stop.as_str()),
                i32::from(step.paused),
                head.children,
            ])
        };
        for rows in lists(turns.iter().map(row)) {
            db.post(on_servers!("workflow_step_many", postgres, mysql), &[(":rows", &rows)], None)?;
        }
        return Ok(());
    }
    for Turn { step, head, .. } in turns {
        let values: [(&str, &dyn ToSql); 5] = [
            (":next", &next(step)),
            (":stop", &step.stop.map(|stop| stop.as_str())),
            (":paused", &step.paused),
            (":children", &head.children),
            (":run", step.run.as_bytes()),
        ];
        execute(db, sql!("workflow_step"), &values)?;
    }
    Ok(())
}
