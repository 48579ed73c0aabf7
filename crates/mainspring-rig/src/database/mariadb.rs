//! MariaDB's programs, and what they are told.

use std::path::Path;
use std::process::Command;

use super::find;

pub(super) const SESSIONS: &str =
    "SELECT id FROM information_schema.processlist WHERE command <> 'Daemon' AND id <> CONNECTION_ID()";

pub(super) fn init(folder: &Path) -> Command {
    let mut init = Command::new("mariadb-install-db");
    init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", &data(folder)]);
    init
}

pub(super) fn serve(folder: &Path, port: u16, durable: bool) -> Command {
    let mut server = Command::new(find("mariadbd", &["/usr/sbin", "/usr/libexec"]));
    server.args(["--no-defaults", &data(folder), "--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin"]);
    server.arg(format!("--port={port}")).arg(format!("--socket={}", folder.join("socket").display()));
    // 2: commits are with the system when they are acknowledged, so a killed server loses none.
    let flush = if durable { 1 } else { 2 };
    server.arg(format!("--innodb-flush-log-at-trx-commit={flush}"));
    server.args(["--innodb-buffer-pool-size=256M", "--max-connections=2000"]);
    server
}

pub(super) fn client(port: u16, database: &str) -> Command {
    let mut client = Command::new("mariadb");
    client.args([
        "--no-defaults",
        "-h",
        "127.0.0.1",
        "-P",
        &port.to_string(),
        "-u",
        "root",
        "-D",
        database,
        "-BN",
        "-e",
    ]);
    client
}

fn data(folder: &Path) -> String {
    format!("--datadir={}", folder.join("data").display())
}
