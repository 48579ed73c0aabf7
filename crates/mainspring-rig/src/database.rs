//! Throw-away database servers, in temporary folders and on free ports, that a test may restart and break.
//!
//! They keep what is committed when their processes die, and nothing more: the data is thrown away, so nothing is synced to
//! disk. Nothing that a machine runs is touched; servers and folders go with the value.

mod mariadb;
mod postgres;
mod standby;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub use self::standby::Replication;
use crate::watchdog::within;

/// The time that a server, or one of its programs, may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of tries to start a server.
const STARTS: usize = 3;

/// The first port that is tried, and how many there are.
const PORTS: (u16, u16) = (20_000, 12_000);

/// The database servers that can be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Database {
    /// PostgreSQL, from the newest version installed.
    Postgres,
    /// MariaDB.
    Mariadb,
}

/// The way to end a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shutdown {
    /// Ends in order: sessions are ended, transactions undone, everything is written.
    Fast,
    /// Ends as by a crash: the next start recovers.
    Immediate,
}

/// A server under way, or stopped for now. Ended with all that it keeps when dropped.
pub struct Server {
    database: Database,
    port: u16,
    folder: TempDir,
    /// The user it runs as, if not the caller.
    user: Option<(u32, u32)>,
    /// Whether commits reach the disk.
    durable: bool,
    child: Option<Child>,
}

impl Database {
    /// Returns the kind of this name.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "postgres" => Ok(Self::Postgres),
            "mysql" | "mariadb" => Ok(Self::Mariadb),
            _ => bail!("there is no database `{name}` for tests; say postgres or mysql"),
        }
    }

    /// Starts a server of its own.
    ///
    /// # Errors
    /// It is not installed, or does not start; says what to do.
    pub fn start(self) -> Result<Server> {
        self.start_as(false)
    }

    /// Starts one as its makers deliver it: a commit that is answered outlives the machine. For benchmarks, and counts
    /// statements where it can.
    ///
    /// # Errors
    /// As [`Database::start`].
    pub fn start_durable(self) -> Result<Server> {
        self.start_as(true)
    }

    fn start_as(self, durable: bool) -> Result<Server> {
        let mut server = Server::new(self, durable)?;
        let mut init = match self {
            Self::Postgres => postgres::init(server.folder.path())?,
            Self::Mariadb => mariadb::init(server.folder.path()),
        };
        server.run(&mut init)?;
        server.begin()?;
        Ok(server)
    }
}

impl Server {
    /// Creates a server with a folder of its own, and nothing in it.
    fn new(database: Database, durable: bool) -> Result<Self> {
        let (prefix, user) = match database {
            Database::Postgres => ("mainspring-postgres-", "postgres"),
            Database::Mariadb => ("mainspring-mariadb-", "mysql"),
        };
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let user = unprivileged(user, folder.path())?;
        Ok(Self { database, port: free_port()?, folder, user, durable, child: None })
    }

    /// Starts it for the first time.
    fn begin(&mut self) -> Result<()> {
        for _ in 1..STARTS {
            if self.resume().is_ok() {
                return Ok(());
            }
            // Somebody else has taken the port meanwhile, most likely.
            self.port = free_port()?;
        }
        self.resume()
    }

    /// Returns the address of the server, for those who make databases in it.
    #[must_use]
    pub fn url(&self) -> String {
        match self.database {
            Database::Postgres => self.address_of("mainspring", "postgres"),
            Database::Mariadb => self.address_of("root", ""),
        }
    }

    /// Returns the address of a database for a user who [owns](Server::create_for) it.
    #[must_use]
    pub fn address_of(&self, user: &str, database: &str) -> String {
        let scheme = match self.database {
            Database::Postgres => "postgres",
            Database::Mariadb => "mysql",
        };
        format!("{scheme}://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns the kind of server.
    #[must_use]
    pub const fn database(&self) -> Database {
        self.database
    }

    /// Returns the port, on this machine. It stays the same after a restart.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database and answers its address.
    ///
    /// # Errors
    /// The server says why not.
    pub fn create(&self, name: &str) -> Result<String> {
        self.ask(&format!("CREATE DATABASE {name}"))?;
        self.address(name)
    }

    /// Makes an empty database, and a user who may do anything in it and nothing beyond. Answers its address for that user.
    ///
    /// # Errors
    /// The server says why not.
    pub fn create_for(&self, user: &str, database: &str) -> Result<String> {
        match self.database {
            Database::Postgres => {
                self.ask(&format!("CREATE ROLE {user} LOGIN"))?;
                self.ask(&format!("CREATE DATABASE {database} OWNER {user}"))?;
            }
            Database::Mariadb => {
                self.create(database)?;
                self.ask(&format!("CREATE USER {user}@'%'; GRANT ALL ON {database}.* TO {user}@'%'"))?;
            }
        }
        Ok(self.address_of(user, database))
    }

    /// Lets a user of [`Server::create_for`] have no more sessions than so many from now on: further ones are refused as where a
    /// server has no room for them. What they have they keep, and on MariaDB it does not count. `None` ends the limit.
    ///
    /// # Errors
    /// The server says why not: MariaDB has no limit of 0.
    pub fn limit_sessions(&self, user: &str, most: Option<u32>) -> Result<()> {
        let sql = match (self.database, most) {
            (Database::Mariadb, Some(0)) => bail!("MariaDB takes a limit of 0 sessions for none"),
            (Database::Postgres, Some(most)) => format!("ALTER ROLE {user} CONNECTION LIMIT {most}"),
            (Database::Postgres, None) => format!("ALTER ROLE {user} CONNECTION LIMIT -1"),
            (Database::Mariadb, most) => {
                format!("ALTER USER {user}@'%' WITH MAX_USER_CONNECTIONS {}", most.unwrap_or_default())
            }
        };
        self.ask(&sql).map(drop)
    }

    /// Returns the address of a database in it.
    ///
    /// # Errors
    /// There is none.
    pub fn address(&self, name: &str) -> Result<String> {
        let url = self.url();
        let (server, _) = url.rsplit_once('/').context("an address with a database")?;
        Ok(format!("{server}/{name}"))
    }

    /// Ends it. Its folder and port stay.
    ///
    /// # Errors
    /// It does not hear.
    pub fn stop(&mut self, how: Shutdown) -> Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        kill_process(process(child.id())?, self.signal(how))?;
        within(PATIENCE, child.id(), || child.wait())?;
        Ok(())
    }

    /// Starts it again, and waits until it lets clients in.
    ///
    /// # Errors
    /// It ends before that; says what it said.
    pub fn resume(&mut self) -> Result<()> {
        if self.child.is_none() {
            let mut command = match self.database {
                Database::Postgres => postgres::serve(self.folder.path(), self.port, self.durable)?,
                Database::Mariadb => mariadb::serve(self.folder.path(), self.port, self.durable),
            };
            let mut child = self.prepared(&mut command).stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
            let ready = |child: &mut Child| wait_for_line(child, "ready to accept", "ready for connections");
            within(PATIENCE, child.id(), || ready(&mut child))?;
            self.child = Some(child);
        }
        Ok(())
    }

    /// Ends it and starts it again.
    ///
    /// # Errors
    /// As [`Server::stop`] and [`Server::resume`].
    pub fn restart(&mut self, how: Shutdown) -> Result<()> {
        self.stop(how)?;
        self.resume()
    }

    /// Returns the sessions of clients: process ids on PostgreSQL, where each is a process.
    ///
    /// # Errors
    /// The server says why not.
    pub fn sessions(&self) -> Result<Vec<u32>> {
        self.sessions_where("")
    }

    /// Returns the sessions of one user.
    ///
    /// # Errors
    /// As [`Server::sessions`].
    pub fn sessions_of(&self, user: &str) -> Result<Vec<u32>> {
        let whose = match self.database {
            Database::Postgres => "usename",
            Database::Mariadb => "user",
        };
        self.sessions_where(&format!(" AND {whose} = '{user}'"))
    }

    fn sessions_where(&self, and: &str) -> Result<Vec<u32>> {
        let all = match self.database {
            Database::Postgres => postgres::SESSIONS,
            Database::Mariadb => mariadb::SESSIONS,
        };
        let rows = self.ask(&format!("{all}{and}"))?;
        Ok(rows.lines().filter_map(|row| row.trim().parse().ok()).collect())
    }

    /// Ends every session of a client, in order.
    ///
    /// # Errors
    /// The server says why not. A session that has ended meanwhile is none.
    pub fn end_sessions(&self) -> Result<()> {
        self.end(self.sessions()?)
    }

    /// Ends the sessions of one user. Returns how many there were.
    ///
    /// # Errors
    /// As [`Server::end_sessions`].
    pub fn end_sessions_of(&self, user: &str) -> Result<usize> {
        let sessions = self.sessions_of(user)?;
        let count = sessions.len();
        self.end(sessions).map(|()| count)
    }

    fn end(&self, sessions: Vec<u32>) -> Result<()> {
        for session in sessions {
            let ended = self.ask(&match self.database {
                Database::Postgres => format!("SELECT pg_terminate_backend({session})"),
                Database::Mariadb => format!("KILL {session}"),
            });
            match ended {
                Err(error) if !error.to_string().contains("Unknown thread id") => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Kills the process of a session, which PostgreSQL answers by ending all sessions and recovering; on MariaDB, which
    /// has threads, ends the session.
    ///
    /// # Errors
    /// The session is gone.
    pub fn kill_session(&self, session: u32) -> Result<()> {
        match self.database {
            Database::Postgres => Ok(kill_process(process(session)?, Signal::KILL)?),
            Database::Mariadb => self.ask(&format!("KILL {session}")).map(drop),
        }
    }

    /// Has the server execute a statement through its own command line program. Answers the rows, tabs between fields.
    ///
    /// # Errors
    /// What the server says.
    pub fn ask(&self, sql: &str) -> Result<String> {
        self.ask_in(
            match self.database {
                Database::Postgres => "postgres",
                Database::Mariadb => "mysql",
            },
            sql,
        )
    }

    /// Runs a statement in a database that was [made](Server::create), and returns the answer.
    ///
    /// # Errors
    /// What the server says.
    pub fn ask_in(&self, database: &str, sql: &str) -> Result<String> {
        let mut command = self.client(database)?;
        self.run(command.arg(sql)).with_context(|| format!("asking {:?} to {sql}", self.database))
    }

    /// Has a session execute statements beside what else happens, until they are done or it is ended.
    ///
    /// # Errors
    /// There is no program to send them with.
    pub fn begin_in(&self, database: &str, sql: &str) -> Result<Child> {
        let mut command = self.client(database)?;
        let begun = self.prepared(command.arg(sql)).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        begun.with_context(|| format!("having {:?} begin {sql}", self.database))
    }

    fn client(&self, database: &str) -> Result<Command> {
        match self.database {
            Database::Postgres => postgres::client(self.port, database),
            Database::Mariadb => Ok(mariadb::client(self.port, database)),
        }
    }

    fn signal(&self, how: Shutdown) -> Signal {
        match (self.database, how) {
            (Database::Postgres, Shutdown::Fast) => Signal::INT,
            (Database::Postgres, Shutdown::Immediate) => Signal::QUIT,
            (Database::Mariadb, Shutdown::Fast) => Signal::TERM,
            (Database::Mariadb, Shutdown::Immediate) => Signal::KILL,
        }
    }

    fn run(&self, command: &mut Command) -> Result<String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let missing = || format!("cannot run {program}: install your distribution's packages of {:?}", self.database);
        let child =
            self.prepared(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(missing)?;
        let done = within(PATIENCE, child.id(), || child.wait_with_output())?;
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            false => bail!("{program} failed: {}", String::from_utf8_lossy(&done.stderr).trim()),
        }
    }

    fn prepared<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        // MariaDB's temporary tables have names that another server may have given too.
        command.env("TMPDIR", self.folder.path());
        // A Ctrl-C is for the task, which then ends the server.
        command.current_dir(self.folder.path()).process_group(0).stdin(Stdio::null())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing of it is wanted any more. PostgreSQL takes its other processes along only if it is asked to end.
        if self.stop(Shutdown::Immediate).is_err()
            && let Some(mut child) = self.child.take()
        {
            let _killed = child.kill();
            // It is gone before its folder is removed.
            let _ended = child.wait();
        }
    }
}

fn process(id: u32) -> Result<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw).context("a process id")
}

/// Returns the path of a program that may be in folders outside the search path.
fn find(program: &str, folders: &[&str]) -> PathBuf {
    let paths = folders.iter().map(|folder| Path::new(folder).join(program));
    paths.into_iter().find(|path| path.exists()).unwrap_or_else(|| program.into())
}

/// Returns the user for a server that refuses to run as root; that user then owns the folder.
fn unprivileged(name: &str, folder: &Path) -> Result<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let found = [name, "nobody"].iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    });
    let (user, group) = found.with_context(|| format!("there is no user `{name}` to run the server as"))?;
    std::os::unix::fs::chown(folder, Some(user), Some(group))?;
    Ok(Some((user, group)))
}

/// Returns a port outside of those that the system gives to clients: who connects again and again while the server is
/// down would sooner or later be given its port, and talk to itself.
///
/// # Errors
/// None is free.
pub fn free_port() -> Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let tries = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed)).take(usize::from(PORTS.1));
    let spread = std::process::id().wrapping_mul(61);
    let ports = tries.map(|count| PORTS.0 + (spread.wrapping_add(count) % u32::from(PORTS.1)) as u16);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().context("no port is free")
}

/// Waits until the server says so. What it says afterwards is read and dropped, so that it never waits for a reader.
fn wait_for_line(child: &mut Child, one: &str, other: &str) -> Result<()> {
    let output = child.stderr.take().context("the server's output is not piped")?;
    let mut lines = BufReader::new(output).lines();
    let mut said = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        let found = line.contains(one) || line.contains(other);
        said.push(line);
        if found {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(());
        }
    }
    bail!("the server ended before it was ready:\n{}", said.join("\n"))
}
