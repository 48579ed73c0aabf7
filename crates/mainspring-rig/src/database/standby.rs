//! A second PostgreSQL that follows the first, and may take its place.

use std::time::Instant;

use anyhow::{Result, ensure};

use super::{Database, PATIENCE, Server, postgres};

/// The time at which a commit is answered: after or before a standby has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replication {
    /// After the standby has it: what was answered outlives the server.
    Synchronous,
    /// At once: commits that the standby has not received are lost with the server.
    Asynchronous,
}

impl Server {
    /// Starts a copy of a PostgreSQL that follows it, has all that is committed by now, and can be read.
    ///
    /// # Errors
    /// There is no such copy of the others; or it does not start, and says why.
    pub fn standby(&self, replication: Replication) -> Result<Self> {
        ensure!(self.database == Database::Postgres, "{:?} has no standby here; use PostgreSQL", self.database);
        let mut standby = Self::new(self.database, self.durable)?;
        standby.run(&mut postgres::copy(standby.folder.path(), self.port)?)?;
        standby.begin()?;
        if replication == Replication::Synchronous {
            self.set("synchronous_standby_names", "'*'")?;
            self.until("SELECT bool_or(sync_state = 'sync') FROM pg_stat_replication")?;
        }
        self.catches_up(&standby)?;
        Ok(standby)
    }

    /// Lets a standby hear nothing any more: it has what is committed by now, and what comes passes it by.
    ///
    /// # Errors
    /// It is none, or one of them does not answer.
    pub fn cut_off(&self, standby: &Self) -> Result<()> {
        self.catches_up(standby)?;
        standby.set("primary_conninfo", "''")?;
        standby.until("SELECT count(*) = 0 FROM pg_stat_wal_receiver")
    }

    /// Waits until a standby has what is committed by now.
    fn catches_up(&self, standby: &Self) -> Result<()> {
        let now = self.ask("SELECT pg_current_wal_lsn()")?;
        standby.until(&format!("SELECT pg_last_wal_replay_lsn() >= '{}'", now.trim()))
    }

    /// Makes a standby a server in its own right, with a time line of its own. What it followed has to be stopped before,
    /// or there are two.
    ///
    /// # Errors
    /// It is no standby, or does not answer.
    pub fn promote(&self) -> Result<()> {
        // It may be the copy of a server that waits for its standby.
        self.set("synchronous_standby_names", "''")?;
        ensure!(self.ask("SELECT pg_promote()")?.trim() == "t", "the standby was not promoted");
        Ok(())
    }

    fn set(&self, setting: &str, value: &str) -> Result<()> {
        self.ask(&format!("ALTER SYSTEM SET {setting} TO {value}"))?;
        self.ask("SELECT pg_reload_conf()").map(drop)
    }

    /// Waits until something is true.
    fn until(&self, question: &str) -> Result<()> {
        let begun = Instant::now();
        while self.ask(&format!("SELECT CASE WHEN ({question}) THEN 'yes' END"))?.trim() != "yes" {
            ensure!(begun.elapsed() < PATIENCE, "still not so after {PATIENCE:?}: {question}");
        }
        Ok(())
    }
}
