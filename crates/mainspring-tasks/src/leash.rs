//! The leash: a small process between a worker and the process tree of one attempt.
//!
//! A worker that is killed with KILL cannot end its children, and a child can leave its process
//! group by calling `setsid`. So the worker starts the leash (its own binary, through a hidden
//! subcommand that calls [`main`] first of all), and the leash starts the program:
//!
//! - The leash is the *child subreaper* of the tree (Linux): whatever daemonises becomes its child
//!   again, so the whole tree is found whatever it did to its group, session or environment.
//! - Its standard input is a socket to the worker. When the worker dies, the socket closes and the
//!   whole tree gets KILL at once.
//! - If the worker asks for it, the tree gets KILL also when the worker falls silent: one that is frozen
//!   does not close its socket.
//! - When the program ends by itself, what it left running gets TERM and, half a second later, KILL; or it is let go, if the worker
//!   asks for that: the leash names it and ends.
//! - It sits in a session of its own, without a terminal.
//!
//! `PR_SET_PDEATHSIG` is no way to do this from a worker with threads: it fires when the *thread*
//! that forked ends. Not covered: processes of another user that the leash may not signal (it
//! gives up on those 30 s after KILL and says so), work handed to a daemon that was there before
//! (`docker run`, `at`, `systemd-run`), and a leash that is killed itself (the worker then searches
//! the group and the environment of all processes).
//!
//! Protocol: arguments are the grace in milliseconds, the program and its arguments; working
//! folder, environment, standard output and error are the program's. After the grace and a colon there
//! may be the longest silence in milliseconds, and after another since when it counts at first, in milliseconds
//! since boot: if it is over by then, the program is not started. `let-` before the grace asks to let go what is left running. The worker writes `T` (TERM, KILL after the grace), `K`
//! (KILL) or `A` (it is alive); the leash answers with one report per line.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

use self::report::Report;
use crate::attempt::Silence;
use crate::leftovers::LET_GO_AFTER;
use crate::process::tree;

pub(crate) mod report;

/// The time that leftovers of a finished program have to react to TERM.
pub(crate) const STRAY_GRACE: Duration = Duration::from_millis(500);
/// The time after KILL before the leash gives up.
pub(crate) const STUCK_AFTER: Duration = Duration::from_secs(30);
/// The prefix of the grace if leftovers are to be let go.
pub(crate) const LETS_GO: &str = "let-";
/// Pause between two rounds of KILL, which catch what was forked meanwhile.
const KILL_ROUND: Duration = Duration::from_millis(5);

/// Runs the leash in this process and returns when the tree is gone.
///
/// `args` are the arguments after the subcommand's name. Call it before anything else: it waits
/// for *all* children of the process, and expects no threads.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     let mut args = std::env::args_os().skip(1);
///     if args.next().is_some_and(|first| first == "__leash") {
///         return mainspring_tasks::leash::main(args);
///     }
///     // … the program itself …
///     std::process::ExitCode::SUCCESS
/// }
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Order::read(args).and_then(hold) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "leash: {error}; this command is for mainspring itself");
            ExitCode::from(64)
        }
    }
}

struct Order {
    lets_go: bool,
    grace: Duration,
    silence: Option<Silence>,
    program: OsString,
    args: Vec<OsString>,
}

impl Order {
    fn read(args: impl IntoIterator<Item = OsString>) -> io::Result<Self> {
        let mut args = args.into_iter();
        let text = args.next();
        let text = text.as_ref().and_then(|text| text.to_str()).unwrap_or_default();
        let (lets_go, text) = text.strip_prefix(LETS_GO).map_or((false, text), |text| (true, text));
        match (limits(text), args.next()) {
            (Some((grace, silence)), Some(program)) => {
                Ok(Self { lets_go, grace, silence, program, args: args.collect() })
            }
            _ => Err(io::Error::other("expected a grace in milliseconds and a program")),
        }
    }
}

/// Reads `GRACE` or `GRACE:SILENCE:SINCE`, in milliseconds.
fn limits(text: &str) -> Option<(Duration, Option<Silence>)> {
    let mut numbers = text.split(':').map(|number| number.parse::<u64>().ok());
    let grace = Duration::from_millis(numbers.next()??);
    let silence = match (numbers.next(), numbers.next()) {
        (None, _) => None,
        (Some(longest), since) => Some(Silence { longest: Duration::from_millis(longest?), since_ms: since?? }),
    };
    numbers.next().is_none().then_some((grace, silence))
}

enum Event {
    Alive,
    Terminate,
    Kill,
    MainEnded,
    AllGone,
}

fn hold(order: Order) -> io::Result<()> {
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    control.peer_addr()?;
    // Fails only for a process that leads a group already, which then has what it needs.
    let _ = rustix::process::setsid();
    become_reaper()?;
    let mut reports = control.try_clone()?;
    // Frozen since it was asked for: others may have it by now.
    if let Some(silence) = order.silence.filter(|silence| silence.left().is_zero()) {
        Report::lapsed(silence.longest).send(&mut reports);
        return Ok(());
    }
    let spawned = Command::new(&order.program).args(&order.args).stdin(Stdio::null()).process_group(0).spawn();
    let main = match spawned {
        Ok(child) => tree::pid_of(child.id()),
        Err(error) => {
            Report::Refused(error.raw_os_error().unwrap_or(0)).send(&mut reports);
            return Ok(());
        }
    };
    Report::Started(main).send(&mut reports);

    let (events, inbox) = channel();
    let heard = events.clone();
    thread::spawn(move || listen(control, &heard));
    let mut verdicts = reports.try_clone()?;
    thread::spawn(move || reap(main, &mut verdicts, &events));

    let left = keep(&inbox, main, &order, &mut reports);
    if left > 0 {
        Report::Left(left).send(&mut reports);
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn become_reaper() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn become_reaper() -> io::Result<()> {
    Ok(())
}

/// Signals all descendants and returns how many there were.
fn signal(main: Pid, signal: Signal) -> usize {
    tree::signal_each_once(main, &tree::descendants(rustix::process::getpid()), signal)
}

/// Sends TERM, and CONT so that stopped processes notice.
fn terminate(main: Pid) {
    signal(main, Signal::TERM);
    signal(main, Signal::CONT);
}

/// Passes on what the worker asks for; its end asks for KILL.
fn listen(mut control: UnixStream, events: &Sender<Event>) {
    let mut byte = [0];
    loop {
        let event = match control.read(&mut byte) {
            Ok(1) if byte[0] == b'T' => Event::Terminate,
            Ok(1) if byte[0] == b'A' => Event::Alive,
            Ok(1) => Event::Kill,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => {
                let _ = events.send(Event::Kill);
                return;
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

/// Collects every child that ends, until there is none left.
fn reap(main: Pid, reports: &mut UnixStream, events: &Sender<Event>) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == main => {
                Report::Ended { code: status.exit_status(), signal: status.terminating_signal() }.send(reports);
                // Asking costs a look at all processes of the machine, so only when needed.
                if !matches!(rustix::process::wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD)) {
                    let _ = events.send(Event::MainEnded);
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => {
                let _ = events.send(Event::AllGone);
                return;
            }
        }
    }
}

/// Ends the tree when asked to, and returns how many of it could not be ended.
fn keep(inbox: &Receiver<Event>, main: Pid, order: &Order, reports: &mut UnixStream) -> usize {
    let grace = order.grace;
    let mut deadline: Option<Instant> = None;
    let mut killing_since: Option<Instant> = None;
    let mut lets_go = false;
    let mut lapses_at = order.silence.map(|silence| Instant::now() + silence.left());
    loop {
        // Silence ends what was asked to end, too: its grace may be longer.
        let lapse = lapses_at.filter(|_| killing_since.is_none());
        let wake = deadline.into_iter().chain(lapse).min();
        match next_event(inbox, wake) {
            Some(Event::Alive) => lapses_at = order.silence.map(|silence| Instant::now() + silence.longest),
            Some(Event::AllGone) => return 0,
            Some(Event::Kill) => {
                lets_go = false;
                deadline = Some(Instant::now());
            }
            Some(Event::Terminate) if deadline.is_none() => {
                terminate(main);
                deadline = Some(Instant::now() + grace);
            }
            Some(Event::MainEnded) if deadline.is_none() && order.lets_go => {
                lets_go = true;
                deadline = Some(Instant::now() + LET_GO_AFTER);
            }
            Some(Event::MainEnded) if deadline.is_none() => {
                terminate(main);
                deadline = Some(Instant::now() + grace.min(STRAY_GRACE));
            }
            Some(Event::Terminate | Event::MainEnded) => {}
            None if lets_go && deadline == wake => {
                let left = tree::descendants(rustix::process::getpid());
                left.iter().for_each(|member| Report::Background(member.pid).send(reports));
                return 0;
            }
            None => {
                lets_go = false;
                if let Some(silence) = order.silence.filter(|_| lapse.is_some() && lapse == wake) {
                    Report::lapsed(silence.longest).send(reports);
                }
                let members = signal(main, Signal::KILL);
                let since = *killing_since.get_or_insert_with(Instant::now);
                if since.elapsed() > STUCK_AFTER {
                    return members;
                }
                deadline = Some(Instant::now() + KILL_ROUND.max(since.elapsed() / 10));
            }
        }
    }
}

/// Waits for an event; `None` when the deadline came first.
fn next_event(inbox: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
    let Some(deadline) = deadline else {
        return Some(inbox.recv().unwrap_or(Event::AllGone));
    };
    match inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Event::AllGone),
    }
}
