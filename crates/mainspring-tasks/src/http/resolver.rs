//! Host names to addresses, under the outbound policy.
//!
//! The client connects to the addresses that this returns and to no others, so a name that resolves
//! differently a moment later (DNS rebinding) gains nothing.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;

use super::error::{Denied, Unresolved};
use crate::policy::OutboundPolicy;

pub(super) struct Resolver {
    policy: Arc<OutboundPolicy>,
}

impl Resolver {
    pub(super) fn new(policy: Arc<OutboundPolicy>) -> Self {
        Self { policy }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.policy);
        Box::pin(async move {
            let host = name.as_str();
            // The client puts the port in.
            let found = lookup_host((host, 0)).await.map_err(|source| unresolved(host, source))?;
            let permitted = permitted(&policy, host, found.collect())?;
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}

/// Keeps the permitted ones of a host's addresses.
fn permitted(policy: &OutboundPolicy, host: &str, mut found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Denied> {
    let is_named = policy.permits_host(host);
    let denied = found.iter().map(SocketAddr::ip).find(|ip| !is_named && !policy.permits_ip(*ip));
    found.retain(|address| is_named || policy.permits_ip(address.ip()));
    match denied {
        Some(ip) if found.is_empty() => Err(Denied { host: host.to_owned(), ip }),
        _ => Ok(found),
    }
}

fn unresolved(host: &str, source: io::Error) -> Unresolved {
    Unresolved { host: host.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permitted_addresses_of_a_name_are_connected_to() {
        let cases = [
            ("", "a.example", "1.1.1.1", Some("1.1.1.1")),
            ("", "a.example", "127.0.0.1", None),
            ("", "a.example", "127.0.0.1 1.1.1.1 ::1", Some("1.1.1.1")),
            ("", "a.example", "::ffff:10.0.0.1 169.254.169.254", None),
            ("loopback", "localhost", "127.0.0.1 ::1", Some("127.0.0.1 ::1")),
            ("127.0.0.1:7070", "localhost", "127.0.0.1", None),
            ("db.internal", "db.internal", "10.0.0.1", Some("10.0.0.1")),
            ("db.internal", "DB.internal.", "10.0.0.1", Some("10.0.0.1")),
            ("db.internal", "evil.db.internal", "10.0.0.1", None),
        ];
        let read = |text: &str| -> Vec<SocketAddr> {
            text.split(' ').map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect()
        };
        for (exception, host, found, expected) in cases {
            let policy = match exception {
                "" => OutboundPolicy::default(),
                text => OutboundPolicy::default().allow(text.parse().unwrap()),
            };
            assert_eq!(permitted(&policy, host, read(found)).ok(), expected.map(read), "{exception} {host} {found}");
        }
    }
}
