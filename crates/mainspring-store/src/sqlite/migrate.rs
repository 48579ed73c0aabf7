//! The steps from an empty file to the newest schema. Each is one transaction, and recorded in it.

use rusqlite::Connection;

struct Migration {
    number: u32,
    name: &'static str,
    text: &'static str,
}

macro_rules! migration {
    ($number:literal, $name:literal) => {
        Migration {
            number: $number,
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite/", $name, ".sql")),
        }
    };
}

/// In order, and never changed once released.
const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_begin"),
    migration!(2, "0002_keep"),
    migration!(3, "0003_claim"),
    migration!(4, "0004_tzdata"),
    migration!(5, "0005_limits"),
    migration!(6, "0006_worker"),
    migration!(7, "0007_queue"),
    migration!(8, "0008_route"),
    migration!(9, "0009_data"),
    migration!(10, "0010_webhook"),
    migration!(11, "0011_node_count"),
    migration!(12, "0012_hooks"),
    migration!(13, "0013_lines"),
    migration!(14, "0014_lane"),
    migration!(15, "0015_waiting"),
    migration!(16, "0016_rollup"),
    migration!(17, "0017_document"),
    migration!(18, "0018_workflow"),
    migration!(19, "0019_document_expiring"),
    migration!(20, "0020_flow"),
    migration!(21, "0021_backfill"),
    migration!(22, "0022_rerun"),
    migration!(23, "0023_after"),
    migration!(24, "0024_deadline"),
    migration!(25, "0025_cause"),
    migration!(26, "0026_call"),
    migration!(27, "0027_workflow_expiring"),
    migration!(28, "0028_saved_by"),
    migration!(29, "0029_await"),
    migration!(30, "0030_flow_minute"),
    migration!(31, "0031_flow_item_part"),
    migration!(32, "0032_cascade"),
    migration!(33, "0033_worker_place"),
    migration!(34, "0034_call_date"),
    migration!(35, "0035_flow_inbox"),
    migration!(36, "0036_high_water"),
    migration!(37, "0037_queue_rollup"),
    migration!(38, "0038_worker_drain"),
    migration!(39, "0039_executor"),
];

/// Number of the newest migration.
pub(super) const NEWEST: u32 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// Refuses a schema that this program does not know.
pub(super) fn check(schema: u32) -> Result<(), String> {
    if schema > NEWEST {
        return Err(format!(
            "it was written by a newer mainspring (schema {schema}, this program knows {NEWEST}). \
             Nothing was changed: use that version, or restore the backup made before the upgrade"
        ));
    }
    Ok(())
}

/// Performs what is missing. A crash in between leaves whole steps, and the next start goes on after them.
pub(super) fn run(connection: &Connection, application_id: i32) -> rusqlite::Result<()> {
    for step in MIGRATIONS {
        let done: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if step.number > done {
            perform(connection, step, application_id)?;
        }
    }
    Ok(())
}

fn perform(connection: &Connection, step: &Migration, application_id: i32) -> rusqlite::Result<()> {
    let text = format!(
        "BEGIN IMMEDIATE;
         CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
         {}
         INSERT INTO migration (number, name) VALUES ({}, '{}');
         PRAGMA application_id = {application_id};
         PRAGMA user_version = {};
         COMMIT;",
        step.text, step.number, step.name, step.number
    );
    connection.execute_batch(&text).inspect_err(|_| {
        if !connection.is_autocommit() {
            // The step is undone whole; the error that is returned says what went wrong.
            let _undone = connection.execute_batch("ROLLBACK");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_the_newest_schema() {
        let connection = Connection::open_in_memory().unwrap();
        run(&connection, 1).unwrap();
        run(&connection, 1).expect("a second start finds nothing to do");
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/common");
        let mut count = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            connection.prepare(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            count += 1;
        }
        assert!(count > 100, "{count} queries were found");
    }

    #[test]
    fn numbers_of_migrations_follow_each_other() {
        assert!((1..).zip(MIGRATIONS).all(|(number, step)| step.number == number));
    }
}
