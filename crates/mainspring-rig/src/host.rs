//! A host of its own for a node, as far as the network goes: a namespace with one link to this machine, which can be unplugged.
//!
//! Then packets vanish in both directions, and nobody is told. A [proxy](crate::Proxy) cannot do that: the kernel acknowledges
//! what it holds.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{geteuid, getpid};

/// The network for benchmarks (RFC 2544): nobody routes it.
const NETWORK: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
/// The number of links of four addresses in the range.
const LINKS: u32 = 1 << 15;
/// The number of hosts that a process may have.
const HOSTS: u32 = 16;

/// The host. Gone when dropped, with what is left of its processes' connections.
pub struct Host {
    namespace: String,
    /// This machine's end of the link.
    link: String,
    /// The addresses of the link.
    network: String,
    here: Ipv4Addr,
    there: Ipv4Addr,
}

impl Host {
    /// Makes the host with a number of this process.
    ///
    /// # Errors
    /// Not as root, without the command `ip`, or where namespaces are not allowed.
    pub fn new(number: u32) -> Result<Self> {
        ensure!(geteuid().is_root(), "hosts of their own are for root");
        ensure!(number < HOSTS, "a process has {HOSTS} hosts at most");
        let pid = getpid().as_raw_nonzero().get().unsigned_abs();
        let first = u32::from(NETWORK) + (pid.wrapping_mul(HOSTS).wrapping_add(number) % LINKS) * 4;
        let host = Self {
            namespace: format!("ms{pid}-{number}"),
            link: format!("ms{pid}-{number}h"),
            network: format!("{}/30", Ipv4Addr::from(first)),
            here: Ipv4Addr::from(first + 1),
            there: Ipv4Addr::from(first + 2),
        };
        ip(&["netns", "add", &host.namespace])?;
        host.connect()?;
        Ok(host)
    }

    fn connect(&self) -> Result<()> {
        let Self { namespace, link, network, here, there } = self;
        ip(&["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace])?;
        ip(&["addr", "add", &format!("{here}/30"), "dev", link])?;
        ip(&["link", "set", link, "up"])?;
        // While the link is down, nothing for the host goes the way of everything else.
        ip(&["route", "add", "unreachable", network, "metric", "4096"])?;
        ip(&["-n", namespace, "addr", "add", &format!("{there}/30"), "dev", "eth0"])?;
        ip(&["-n", namespace, "link", "set", "eth0", "up"])?;
        ip(&["-n", namespace, "link", "set", "lo", "up"])
    }

    /// Returns the address of this machine, as the host sees it.
    #[must_use]
    pub const fn here(&self) -> Ipv4Addr {
        self.here
    }

    /// Returns the address of the host.
    #[must_use]
    pub const fn there(&self) -> Ipv4Addr {
        self.there
    }

    /// Returns a command that runs on the host.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace]).arg(program);
        command
    }

    /// Pulls the plug, or puts it back.
    ///
    /// # Errors
    /// The link is gone.
    pub fn plug(&self, is_in: bool) -> Result<()> {
        ip(&["link", "set", &self.link, if is_in { "up" } else { "down" }])
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // What is gone already needs no end.
        let _ = ip(&["route", "del", "unreachable", &self.network, "metric", "4096"]);
        let _ = ip(&["link", "del", &self.link]);
        let _ = ip(&["netns", "del", &self.namespace]);
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    let ended = Command::new("ip").args(arguments).output().context("the command `ip` is missing")?;
    if !ended.status.success() {
        bail!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&ended.stderr).trim());
    }
    Ok(())
}
