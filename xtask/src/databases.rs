//! Throw-away database servers for tests, in temporary folders and on free ports.
//!
//! `db postgres` starts one and prints its address; `with-databases COMMAND…` runs a command with the addresses in its
//! environment. The servers end with the task, and so do their folders. Nothing that a machine runs is touched.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, bail};
use tempfile::TempDir;

/// The kinds of servers, and the variables in which tests find them.
const KINDS: [(&str, &str); 2] = [("postgres", "MAINSPRING_TEST_POSTGRES"), ("mysql", "MAINSPRING_TEST_MYSQL")];

/// A server under way.
pub struct Server {
    child: Child,
    pub url: String,
    /// The signal that ends it at once, with all of its processes.
    end: &'static str,
    _folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let asked = Command::new("kill").args([self.end, &self.child.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _killed = self.child.kill();
        }
        // It is gone before its folder is removed.
        let _ended = self.child.wait();
    }
}

/// Starts a server, prints its address, and keeps it until Ctrl-C.
pub fn keep(kind: &str, durable: bool) -> anyhow::Result<ExitCode> {
    let server = start(kind, durable)?;
    writeln!(std::io::stdout(), "{}", server.url)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::signal::ctrl_c())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a command with the addresses of servers of its own in its environment.
pub fn with(command: &[&str]) -> anyhow::Result<ExitCode> {
    let [program, arguments @ ..] = command else { bail!("say which command is to run with the databases") };
    let mut servers = Vec::new();
    for (kind, variable) in KINDS {
        servers.push((variable, start(kind, false)?));
    }
    let addresses = servers.iter().map(|(variable, server)| (*variable, server.url.as_str()));
    let status = Command::new(program).args(arguments).envs(addresses).status();
    let status = status.with_context(|| format!("cannot run {program}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Starts a server. If it is to be durable, then as its makers deliver it: a commit that is answered outlives the machine.
/// Otherwise nothing has to reach the disk, since tests of durability kill processes, not machines.
pub fn start(kind: &str, durable: bool) -> anyhow::Result<Server> {
    match kind {
        "postgres" => postgres(durable),
        "mysql" | "mariadb" => mariadb(durable),
        _ => bail!("there is no database `{kind}` for tests; say postgres or mysql"),
    }
}

const NOT_DURABLE: [&str; 4] = ["fsync=off", "full_page_writes=off", "max_wal_size=4GB", "checkpoint_timeout=1h"];
/// Counts statements, for benchmarks.
const COUNTS: &str = "shared_preload_libraries=pg_stat_statements";

fn postgres(durable: bool) -> anyhow::Result<Server> {
    let binaries = postgres_binaries()?;
    let folder = tempfile::Builder::new().prefix("mainspring-postgres-").tempdir()?;
    let user = unprivileged("postgres", folder.path())?;
    let data = folder.path().join("data");
    let mut init = Command::new(binaries.join("initdb"));
    init.arg("-D").arg(&data).args(["-U", "mainspring", "--auth=trust", "--encoding=UTF8", "--no-sync"]);
    init.args(["--locale=C.UTF-8"]);
    let done = as_user(&mut init, user).current_dir(folder.path()).output().context("cannot run initdb")?;
    if !done.status.success() {
        bail!("initdb failed: {}", String::from_utf8_lossy(&done.stderr));
    }
    let port = free_port()?;
    let mut server = Command::new(binaries.join("postgres"));
    server.arg("-D").arg(&data).arg("-k").arg(folder.path()).args(["-p", &port.to_string()]);
    let counts = durable && binaries.join("../lib/pg_stat_statements.so").exists();
    let settings = if durable { &[COUNTS][..usize::from(counts)] } else { &NOT_DURABLE };
    for setting in ["listen_addresses=127.0.0.1", "max_connections=400"].iter().chain(settings) {
        server.args(["-c", setting]);
    }
    let child = as_user(&mut server, user).current_dir(folder.path()).stderr(Stdio::piped()).stdout(Stdio::null());
    let child = child.spawn().context("cannot run postgres")?;
    let url = format!("postgres://mainspring@127.0.0.1:{port}/postgres");
    let mut server = Server { child, url, end: "-INT", _folder: folder };
    wait_for_line(&mut server.child, "ready to accept connections")?;
    Ok(server)
}

fn mariadb(durable: bool) -> anyhow::Result<Server> {
    let folder = tempfile::Builder::new().prefix("mainspring-mariadb-").tempdir()?;
    let user = unprivileged("mysql", folder.path())?;
    let data = format!("--datadir={}", folder.path().join("data").display());
    let mut init = Command::new("mariadb-install-db");
    init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", &data]);
    let done = as_user(&mut init, user).current_dir(folder.path()).output();
    let done = done.context("MariaDB is not installed: install your distribution's package mariadb-server")?;
    if !done.status.success() {
        bail!("mariadb-install-db failed: {}", String::from_utf8_lossy(&done.stderr));
    }
    let port = free_port()?;
    let socket = folder.path().join("socket");
    let mut server = Command::new(find("mariadbd", &["/usr/sbin", "/usr/libexec"]));
    server.args(["--no-defaults", &data, "--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin"]);
    server.arg(format!("--port={port}")).arg(format!("--socket={}", socket.display()));
    server.args(["--innodb-buffer-pool-size=256M", "--max-connections=2000"]);
    if !durable {
        server.arg("--innodb-flush-log-at-trx-commit=0");
    }
    let child = as_user(&mut server, user).current_dir(folder.path()).stderr(Stdio::piped()).stdout(Stdio::null());
    let child = child.spawn().context("cannot run mariadbd")?;
    let url = format!("mysql://root@127.0.0.1:{port}/");
    let mut server = Server { child, url, end: "-KILL", _folder: folder };
    wait_for_line(&mut server.child, "ready for connections")?;
    Ok(server)
}

/// A program that may lie in folders that are not on everybody's path.
fn find(program: &str, folders: &[&str]) -> PathBuf {
    let paths = folders.iter().map(|folder| Path::new(folder).join(program));
    paths.into_iter().find(|path| path.exists()).unwrap_or_else(|| program.into())
}

/// The folder of the server's programs: on the path, or where distributions put them.
fn postgres_binaries() -> anyhow::Result<PathBuf> {
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|path| {
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        folders
    });
    let mut packaged: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map_or_else(|_| Vec::new(), |versions| versions.flatten().map(|version| version.path().join("bin")).collect());
    packaged.sort();
    let found = packaged.into_iter().rev().chain(on_path).find(|folder| folder.join("initdb").exists());
    found.context("PostgreSQL is not installed: install your distribution's package postgresql")
}

/// Who runs a server that refuses to run as root: its own user, which then owns the folder.
fn unprivileged(name: &str, folder: &Path) -> anyhow::Result<Option<(u32, u32)>> {
    let me = Command::new("id").arg("-u").output().context("cannot run id")?;
    if String::from_utf8_lossy(&me.stdout).trim() != "0" {
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

fn as_user(command: &mut Command, user: Option<(u32, u32)>) -> &mut Command {
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    // A Ctrl-C is for the task, which then ends the server.
    command.process_group(0).stdin(Stdio::null())
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Waits until the server says so. What it says afterwards is read and dropped, so that it never waits for a reader.
fn wait_for_line(child: &mut Child, expected: &str) -> anyhow::Result<()> {
    let output = child.stderr.take().context("the server's output is not piped")?;
    let mut lines = BufReader::new(output).lines();
    let mut said = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        let found = line.contains(expected);
        said.push(line);
        if found {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(());
        }
    }
    bail!("the server ended before it was ready:\n{}", said.join("\n"))
}
