//! The processes that descend from one, and how to find them.

use std::collections::{HashMap, HashSet};
use std::fs;

use rustix::process::{Pid, Signal};

/// The process tree of an attempt, seen from a process that is not its ancestor for sure.
///
/// Members are found by three signs: they are in the main process's group, they descend from it,
/// or their environment holds the marker, a `NAME=value` that no other process has. What left the
/// group, lost its parents *and* cleaned its environment is not found; with a leash it is.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) main: Pid,
    pub(crate) marker: Vec<u8>,
}

/// A living process of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) pid: Pid,
    group: u32,
}

impl Tree {
    /// Returns the living members. Looks at all processes of the machine (about 10 µs each).
    pub(crate) fn members(&self) -> Vec<Member> {
        let table = processes();
        let kin = kin_of(&table, self.main);
        let own = std::process::id();
        let is_member = |pid: u32, process: &Process| {
            pid != own
                && (process.group == number_of(self.main)
                    || pid == number_of(self.main)
                    || kin.contains(&pid)
                    || has_marker(pid, &self.marker))
        };
        let members = table.iter().filter(|(pid, process)| is_member(**pid, process));
        members.filter_map(|(pid, process)| living(*pid, process)).collect()
    }

    /// Sends `signal` to all living members and returns how many there are.
    pub(crate) fn signal(&self, signal: Signal) -> usize {
        signal_each_once(self.main, &self.members(), signal)
    }
}

/// Returns the living descendants of `root`, without itself.
pub(crate) fn descendants(root: Pid) -> Vec<Member> {
    let table = processes();
    let kin = kin_of(&table, root);
    kin.into_iter().filter_map(|pid| living(pid, table.get(&pid)?)).collect()
}

/// Sends `signal` to each of `members`, once, because to many programs a second TERM means "at once".
/// Returns how many there are.
///
/// The group of `main` gets it in one step of the kernel, so that no shell sees its child end before
/// it is told itself, and no process is forked past it. With a member in it, the group is ours.
pub(crate) fn signal_each_once(main: Pid, members: &[Member], signal: Signal) -> usize {
    let is_in_group = |member: &&Member| member.group == number_of(main);
    if members.iter().any(|member| is_in_group(&member)) {
        let _ = rustix::process::kill_process_group(main, signal);
    }
    for member in members.iter().filter(|member| !is_in_group(member)) {
        let _ = rustix::process::kill_process(member.pid, signal);
    }
    members.len()
}

fn living(pid: u32, process: &Process) -> Option<Member> {
    let group = process.group;
    (!process.is_zombie).then(|| Member { pid: pid_of(pid), group })
}

fn number_of(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}

/// Makes a process id of a number that the system gave.
pub(crate) fn pid_of(number: u32) -> Pid {
    Pid::from_raw(number.cast_signed()).expect("the system numbers processes from 1")
}

struct Process {
    parent: u32,
    group: u32,
    is_zombie: bool,
}

fn processes() -> HashMap<u32, Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|pid| Some((pid, parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)?))).collect()
}

/// Reads `pid (name) state parent group …`, where the name may hold anything.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    Some(Process {
        is_zombie: matches!(state, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

fn kin_of(table: &HashMap<u32, Process>, root: Pid) -> HashSet<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (pid, process) in table {
        children.entry(process.parent).or_default().push(*pid);
    }
    let mut kin = HashSet::new();
    let mut open = vec![number_of(root)];
    while let Some(pid) = open.pop() {
        let new = children.get(&pid).into_iter().flatten().filter(|child| kin.insert(**child));
        open.extend(new);
    }
    kin
}

/// Processes of other users do not show their environment, and are not ours.
fn has_marker(pid: u32, marker: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|pair| pair == marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let process = parse_stat(b"12 (a) Z 1 (b)) S 7 8 9 0").unwrap();
        assert_eq!((process.parent, process.group, process.is_zombie), (7, 8, false));
        assert!(parse_stat(b"12 (x) Z 7 8").unwrap().is_zombie);
        for bad in [&b""[..], b"12", b"12 (x", b"12 (x) S", b"12 (x) S a b"] {
            assert!(parse_stat(bad).is_none());
        }
    }

    #[test]
    fn this_process_descends_from_its_parent() {
        let parent = rustix::process::getppid().unwrap();
        let own = rustix::process::getpid();
        assert!(descendants(parent).iter().any(|member| member.pid == own));
    }
}
