//! The outbound policy as HTTP clients ask it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::Resolve;

use super::error::Denied;
use super::resolver::Resolver;
use crate::policy::OutboundPolicy;

impl OutboundPolicy {
    /// Checks a URL whose host is an address, which no resolver gets to see. The parser of URLs has turned all spellings of an
    /// address (decimal, octal, hexadecimal, short) into the usual one. A host name passes: [`resolver`](Self::resolver) checks it.
    ///
    /// # Errors
    /// When nothing may be sent there.
    ///
    /// ```
    /// use mainspring_tasks::OutboundPolicy;
    ///
    /// let policy = OutboundPolicy::default();
    /// assert!(policy.check(&"http://0x7f.1:80/".parse()?).is_err());
    /// assert!(policy.check(&"http://localhost/".parse()?).is_ok());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, url: &Url) -> Result<(), Denied> {
        let host = url.host_str().unwrap_or_default();
        let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return Ok(()) };
        let address = SocketAddr::new(ip, url.port_or_known_default().unwrap_or_default());
        if self.permits(address) { Ok(()) } else { Err(Denied { host: host.to_owned(), ip }) }
    }

    /// Returns what an HTTP client finds the addresses of host names with: those that may be reached, and no others.
    #[must_use]
    pub fn resolver(self: &Arc<Self>) -> Arc<dyn Resolve> {
        Arc::new(Resolver::new(Arc::clone(self)))
    }
}
