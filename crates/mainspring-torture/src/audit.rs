//! The database's view of leases and fires: database triggers record who took or gave up which shard, and which process
//! start advanced a trigger there.
//!
//! The numbers of these rows are in the order in which it happened, wherever that matters: a row is numbered when its transaction
//! holds its locks, and a batch holds the fence that a burial has to remove.

use anyhow::{Context, Result};
use mainspring_rig::{Database, Server};

/// A row of the audit, in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Saw {
    /// A shard has another owner, or none.
    Owner { shard: i64, owner: Option<i64>, epoch: i64, lease: u128 },
    /// A batch of a process start has advanced a trigger.
    Fire { shard: i64, trigger: i64, by: i64 },
}

const POSTGRES: &str = "
CREATE TABLE torture_saw (number BIGSERIAL PRIMARY KEY, shard BIGINT, owner BIGINT, epoch BIGINT, lease TEXT,
    trigger_id BIGINT, batch BIGINT);
CREATE FUNCTION torture_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO torture_saw (shard, owner, epoch, lease) VALUES (NEW.shard, NEW.owner, NEW.epoch, NEW.lease);
    RETURN NULL; END $$;
CREATE FUNCTION torture_fire() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO torture_saw (shard, trigger_id, batch) VALUES (NEW.shard, NEW.id, NEW.batch);
    RETURN NULL; END $$;
CREATE TRIGGER torture_owner AFTER UPDATE ON shard FOR EACH ROW EXECUTE FUNCTION torture_owner();
CREATE TRIGGER torture_fire AFTER UPDATE ON trigger_state FOR EACH ROW
    WHEN (NEW.batch IS DISTINCT FROM OLD.batch) EXECUTE FUNCTION torture_fire();
INSERT INTO torture_saw (shard, owner, epoch, lease) SELECT shard, owner, epoch, lease FROM shard";

const MARIADB: &str = "
CREATE TABLE torture_saw (number BIGINT AUTO_INCREMENT PRIMARY KEY, shard BIGINT, owner BIGINT, epoch BIGINT, lease TEXT,
    trigger_id BIGINT, batch BIGINT);
CREATE TRIGGER torture_owner AFTER UPDATE ON shard FOR EACH ROW
    INSERT INTO torture_saw (shard, owner, epoch, lease) VALUES (NEW.shard, NEW.owner, NEW.epoch, HEX(NEW.lease));
CREATE TRIGGER torture_fire AFTER UPDATE ON trigger_state FOR EACH ROW
    INSERT INTO torture_saw (shard, trigger_id, batch)
    SELECT NEW.shard, NEW.id, NEW.batch FROM DUAL WHERE NOT (NEW.batch <=> OLD.batch);
INSERT INTO torture_saw (shard, owner, epoch, lease) SELECT shard, owner, epoch, HEX(lease) FROM shard";

const READ: &str = "
SELECT shard, COALESCE(owner, 0), COALESCE(epoch, 0), COALESCE(lease, '0'), COALESCE(trigger_id, 0), COALESCE(batch, 0)
FROM torture_saw ORDER BY number";

/// Has the database watch from now on.
pub(crate) fn watch(server: &Server, database: &str) -> Result<()> {
    let sql = match server.database() {
        Database::Postgres => POSTGRES,
        Database::Mariadb => MARIADB,
    };
    server.ask_in(database, sql).map(drop)
}

/// Returns the records.
pub(crate) fn read(server: &Server, database: &str) -> Result<Vec<Saw>> {
    server.ask_in(database, READ)?.lines().map(|line| saw(line).with_context(|| format!("reading {line:?}"))).collect()
}

fn saw(line: &str) -> Result<Saw> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [shard, owner, epoch, lease, trigger, batch] = fields[..] else { anyhow::bail!("it has other columns") };
    let lease = u128::from_str_radix(&lease.replace('-', ""), 16)?;
    let (shard, owner, trigger): (i64, i64, i64) = (shard.parse()?, owner.parse()?, trigger.parse()?);
    Ok(match trigger {
        0 => Saw::Owner { shard, owner: (owner != 0).then_some(owner), epoch: epoch.parse()?, lease },
        // The store stamps what a batch advances with the number of its process start, and with its own.
        _ => Saw::Fire { shard, trigger, by: batch.parse::<i64>()? >> 40 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_others_refused() {
        let free = Saw::Owner { shard: 7, owner: None, epoch: 3, lease: 0 };
        assert_eq!(saw("7\t0\t3\t0\t0\t0").unwrap(), free);
        let owned = Saw::Owner { shard: 7, owner: Some(2), epoch: 4, lease: 0xff01 };
        assert_eq!(saw("7\t2\t4\t00000000-0000-0000-0000-00000000ff01\t0\t0").unwrap(), owned);
        assert_eq!(saw("7\t0\t0\t0\t9\t2199023255557").unwrap(), Saw::Fire { shard: 7, trigger: 9, by: 2 });
        assert!(saw("7\t0").is_err() && saw("a\t0\t3\t0\t0\t0").is_err());
    }

    #[test]
    fn database_sees_what_is_done_to_shards_and_triggers() {
        let columns = "shard BIGINT, owner BIGINT, epoch BIGINT, lease";
        for (database, bytes) in [(Database::Postgres, "UUID"), (Database::Mariadb, "BINARY(16)")] {
            let server = database.start().unwrap();
            server.create("torture").unwrap();
            let ask = |sql: &str| server.ask_in("torture", sql).unwrap();
            ask(&format!("CREATE TABLE shard ({columns} {bytes})"));
            ask("CREATE TABLE trigger_state (id BIGINT, shard BIGINT, batch BIGINT)");
            ask("INSERT INTO shard (shard, epoch) VALUES (7, 0)");
            ask("INSERT INTO trigger_state (id, shard) VALUES (9, 7)");
            watch(&server, "torture").unwrap();
            ask("UPDATE shard SET owner = 2, epoch = 1");
            ask("UPDATE trigger_state SET batch = 2199023255557");
            ask("UPDATE trigger_state SET id = 9");
            let expected = [
                Saw::Owner { shard: 7, owner: None, epoch: 0, lease: 0 },
                Saw::Owner { shard: 7, owner: Some(2), epoch: 1, lease: 0 },
                Saw::Fire { shard: 7, trigger: 9, by: 2 },
            ];
            assert_eq!(read(&server, "torture").unwrap(), expected, "{database:?}");
        }
    }
}
