//! Processor time and memory of processes, on systems that show them under `/proc`.

use std::collections::HashMap;
use std::path::Path;

/// Ticks in a second; Linux shows 100 on every machine that we run on.
const TICKS: f64 = 100.0;

/// Processor time so far, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    /// Of the processes asked for.
    pub nodes: f64,
    /// Of the database server, if it is on this machine and can be seen.
    pub database: Option<f64>,
}

impl Cpu {
    /// What was used since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let database = self.database.zip(earlier.database).map(|(now, before)| now - before);
        Self { nodes: self.nodes - earlier.nodes, database }
    }
}

/// Reads what processes use, and the database server beside them.
pub struct Usage {
    database: Option<DatabaseServer>,
}

impl Usage {
    /// Looks for the server of a store.
    #[must_use]
    pub fn beside(store: &str) -> Self {
        Self { database: DatabaseServer::find(store) }
    }

    /// What processes have used so far, and the server.
    #[must_use]
    pub fn cpu(&self, processes: &[u32]) -> Cpu {
        let database = self.database.as_ref().map(DatabaseServer::cpu_seconds);
        Cpu { nodes: cpu_seconds(processes), database }
    }
}

/// Processor time of processes so far, in seconds.
fn cpu_seconds(processes: &[u32]) -> f64 {
    processes.iter().filter_map(|process| Stat::read(*process)).map(|stat| stat.own).sum::<f64>() / TICKS
}

/// Resident memory of processes together, in MB.
pub(super) fn rss_mb(processes: &[u32]) -> f64 {
    let kib = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    };
    (processes.iter().filter_map(kib).sum::<f64>() / 102.4).round() / 10.0
}

/// A database server on this machine, found by the port on which it listens.
struct DatabaseServer {
    process: u32,
}

impl DatabaseServer {
    /// Nothing for a store without a server, a server elsewhere, and where other users' processes are hidden.
    fn find(address: &str) -> Option<Self> {
        let inode = listener(local_port(address)?)?;
        let socket = format!("socket:[{inode}]");
        processes().find(|process| holds(*process, &socket)).map(|process| Self { process })
    }

    /// Processor time of the server and all of its processes, those that have ended included.
    fn cpu_seconds(&self) -> f64 {
        let stats: HashMap<u32, Stat> =
            processes().filter_map(|process| Some((process, Stat::read(process)?))).collect();
        let is_ours = |mut process: u32| loop {
            match stats.get(&process) {
                _ if process == self.process => return true,
                Some(stat) => process = stat.parent,
                None => return false,
            }
        };
        let ours = stats.iter().filter(|(process, _)| is_ours(**process));
        ours.map(|(_, stat)| stat.own + stat.reaped).sum::<f64>() / TICKS
    }
}

/// What the system shows of a process, times in ticks.
struct Stat {
    parent: u32,
    own: f64,
    reaped: f64,
}

impl Stat {
    fn read(process: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// The name, second of the fields, is in parentheses and may hold anything.
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
        let parent = fields.get(1)?.parse().ok()?;
        Some(Self { parent, own: ticks(11)? + ticks(12)?, reaped: ticks(13)? + ticks(14)? })
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn holds(process: u32, socket: &str) -> bool {
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    open.into_iter().any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target == Path::new(socket)))
}

/// The port of a database server, if its address says that it is on this machine.
fn local_port(address: &str) -> Option<u16> {
    let (scheme, rest) = address.split_once("://")?;
    let usual = match scheme {
        "postgres" | "postgresql" => 5432,
        "mysql" | "mariadb" => 3306,
        _ => return None,
    };
    let authority = rest.split(['/', '?']).next()?;
    let place = authority.rsplit('@').next()?;
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (place, usual),
    };
    matches!(host, "127.0.0.1" | "localhost" | "[::1]").then_some(port)
}

/// The inode of the socket that listens on a port.
fn listener(port: u16) -> Option<u64> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    tables.iter().find_map(|table| listener_in(table, port))
}

fn listener_in(table: &str, port: u16) -> Option<u64> {
    const LISTENS: &str = "0A";
    let ending = format!(":{port:04X}");
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields.get(1)?.ends_with(&ending) && *fields.get(3)? == LISTENS).then_some(())?;
        fields.get(9)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let line = "7 (a) b (c) S 3 7 7 0 -1 4194304 1 2 3 4 100 50 20 5 20 0 1 0";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.parent, stat.own, stat.reaped), (3, 150.0, 25.0));
    }

    #[test]
    fn the_port_of_a_server_on_this_machine() {
        for (address, expected) in [
            ("postgres://me@127.0.0.1:5433/jobs", Some(5433)),
            ("postgres://me:p@ss@localhost/jobs?x=1", Some(5432)),
            ("mysql://root@[::1]/jobs", Some(3306)),
            ("mysql://root@[::1]:3307/jobs", Some(3307)),
            ("postgres://db.example.org/jobs", None),
            ("sqlite:jobs.db", None),
        ] {
            assert_eq!(local_port(address), expected, "{address}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_server_on_this_machine_is_found_by_its_port() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let found = DatabaseServer::find(&format!("postgres://me@127.0.0.1:{port}/jobs")).unwrap();
        assert_eq!(found.process, std::process::id());
        let before = cpu_seconds(&[found.process]);
        assert!(found.cpu_seconds() >= before);
        drop(server);
        assert!(DatabaseServer::find(&format!("postgres://me@127.0.0.1:{port}/jobs")).is_none());
    }
}
