//! What is known of how long the runs of jobs take, and the lines in which they wait.

use mainspring_core::lane::{JobLane, Lane};
use mainspring_core::line::Line;
use mainspring_core::{JobId, RunId};

use super::Batches;
use super::db::{Db, Row, Step, ToSql, execute, read, read_one, run_id, sql};
use super::session::Session;

/// See [`crate::Store::set_lanes`].
pub(crate) fn set(session: &Session<impl Batches>, changes: &[JobLane]) -> Step<()> {
    let db = &session.connection;
    let count = i64::try_from(changes.len()).expect("a batch is bounded");
    execute(db, sql!("lane_count"), &[(":count", &count)])?;
    let counted: i64 = read_one(db, sql!("lane_counted"), &[], |row| row.get(0))?.unwrap_or(count);
    for (number, change) in (counted - count + 1..).zip(changes) {
        execute(db, sql!("lane_remove"), &[(":job", &change.job.0)])?;
        let values: [(&str, &dyn ToSql); 4] =
            [(":job", &change.job.0), (":lane", &change.lane.as_str()), (":line", &change.line), (":changed", &number)];
        execute(db, sql!("lane_add"), &values)?;
    }
    Ok(())
}

/// See [`crate::Store::lanes`].
pub(crate) fn after(db: &dyn Db, after: i64, limit: u32) -> Step<(Vec<JobLane>, i64)> {
    let values: [(&str, &dyn ToSql); 2] = [(":after", &after), (":limit", &limit)];
    let rows = read(db, sql!("lanes"), &values, |row| {
        Ok((JobId(row.get(0)?), row.get::<String>(1)?, row.get::<String>(2)?, row.get::<i64>(3)?))
    })?;
    let through = rows.last().map_or(after, |row| row.3);
    // Words of a later version say nothing here.
    let known = |(job, word, line, _): (JobId, String, String, i64)| {
        Lane::from_word(&word).map(|lane| JobLane { job, lane, line })
    };
    Ok((rows.into_iter().filter_map(known).collect(), through))
}

/// See [`crate::Store::move_runs`].
pub(crate) fn move_runs(session: &mut Session<impl Batches>, change: &JobLane, limit: u32) -> Step<u32> {
    let db = &session.connection;
    let found = |row: &Row<'_>| Ok((run_id(row, 0)?, row.get::<String>(1)?));
    let mut runs: Vec<(RunId, String)> = match change.lane {
        Lane::Short => {
            let line = Line::parse(&change.line).slow().to_string();
            let values: [(&str, &dyn ToSql); 3] = [(":line", &line), (":job", &change.job.0), (":limit", &limit)];
            read(db, sql!("lane_short_read", mysql), &values, found)?
        }
        Lane::Slow => {
            let values: [(&str, &dyn ToSql); 2] = [(":job", &change.job.0), (":limit", &limit)];
            read(db, sql!("lane_slow_read"), &values, found)?
        }
    };
    runs.sort_unstable();
    for (run, from) in &runs {
        let to = if change.lane == Lane::Short { change.line.clone() } else { Line::parse(from).slow().to_string() };
        let values: [(&str, &dyn ToSql); 3] = [(":line", &to), (":id", run.as_bytes()), (":from", from)];
        execute(db, sql!("lane_move"), &values)?;
    }
    if !runs.is_empty() {
        session.note_queued();
    }
    Ok(u32::try_from(runs.len()).expect("not more than asked for"))
}
