//! The outbound policy of HTTP calls: public addresses, and those that are allowed by name.
//!
//! A scheduler that fetches any URL is a way into its own network (SSRF). So loopback, private,
//! link-local (cloud metadata among them), multicast and every other special range is denied unless
//! the operator allows it. The decision is made on the resolved address at the moment of
//! connecting, never on the text of the URL.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// The addresses that HTTP calls may reach. The default allows public addresses only.
///
/// ```
/// use mainspring_tasks::OutboundPolicy;
///
/// let policy = OutboundPolicy::default().allow("10.1.0.0/16".parse()?).allow("127.0.0.1:7070".parse()?);
/// assert!(policy.permits("10.1.2.3:443".parse()?));
/// assert!(policy.permits("127.0.0.1:7070".parse()?));
/// assert!(!policy.permits("127.0.0.1:5432".parse()?));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundPolicy {
    allowed: Vec<Allow>,
}

/// An exception from the rule that only public addresses are reached.
///
/// As text: `loopback`, `private`, `any`, a network (`10.0.0.0/8`), an address (`192.168.0.7`,
/// `fd00::7`), an address and port (`127.0.0.1:7070`, `[::1]:7070`) or a host name (`db.internal`), whose
/// addresses are then allowed whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allow {
    /// 127.0.0.0/8 and ::1.
    Loopback,
    /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10 and fc00::/7.
    Private,
    /// Every address. For machines whose network is guarded elsewhere.
    Any,
    /// A network.
    Net(IpNet),
    /// One port of one address; reached by URLs that name the address itself.
    Endpoint(SocketAddr),
    /// A host name in lower case, reached by URLs that name it.
    Host(String),
}

/// The reason why a text is not an [`Allow`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not an outbound exception: give loopback, private, any, a network such as 10.0.0.0/8, \
     an address with or without port, or a host name"
)]
pub struct AllowError {
    /// The text as given.
    pub text: String,
}

impl OutboundPolicy {
    /// Adds an exception.
    #[must_use]
    pub fn allow(mut self, exception: Allow) -> Self {
        self.allowed.push(exception);
        self
    }

    /// Tells whether a connection to this address and port may be made.
    pub fn permits(&self, address: SocketAddr) -> bool {
        let canonical = SocketAddr::new(address.ip().to_canonical(), address.port());
        self.permits_ip(canonical.ip()) || self.allowed.contains(&Allow::Endpoint(canonical))
    }

    /// Tells whether any port of this address may be reached.
    pub(crate) fn permits_ip(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        is_public(ip) || self.allowed.iter().any(|allow| allow.covers(ip))
    }

    /// Tells whether the addresses of this host name are allowed whatever they are.
    pub(crate) fn permits_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.allowed.iter().any(|allow| matches!(allow, Allow::Host(name) if *name == host))
    }
}

impl Allow {
    fn covers(&self, ip: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Loopback => ip.is_loopback(),
            Self::Private => PRIVATE.iter().any(|net| net.contains(&ip)),
            Self::Net(net) => net.contains(&ip),
            Self::Endpoint(_) | Self::Host(_) => false,
        }
    }
}

impl FromStr for Allow {
    type Err = AllowError;

    fn from_str(text: &str) -> Result<Self, AllowError> {
        match text {
            "loopback" => return Ok(Self::Loopback),
            "private" => return Ok(Self::Private),
            "any" => return Ok(Self::Any),
            _ => {}
        }
        if let Ok(net) = text.parse::<IpNet>() {
            return Ok(Self::Net(net.trunc()));
        }
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self::Net(ip.to_canonical().into()));
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Self::Endpoint(SocketAddr::new(address.ip().to_canonical(), address.port())));
        }
        if is_host_name(text) {
            return Ok(Self::Host(text.trim_end_matches('.').to_ascii_lowercase()));
        }
        Err(AllowError { text: text.to_owned() })
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => f.write_str("loopback"),
            Self::Private => f.write_str("private"),
            Self::Any => f.write_str("any"),
            Self::Net(net) => net.fmt(f),
            Self::Endpoint(address) => address.fmt(f),
            Self::Host(name) => f.write_str(name),
        }
    }
}

/// Returns whether the text is a name: its last label has a letter, so that `127.1` or `0x7f.1` never counts as one.
fn is_host_name(text: &str) -> bool {
    let name = text.trim_end_matches('.');
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    name.len() <= 253 && name.split('.').all(label) && last.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix))
}

const fn v6(first: u16, second: u16, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix))
}

const PRIVATE: [IpNet; 5] =
    [v4(10, 0, 0, 0, 8), v4(172, 16, 0, 0, 12), v4(192, 168, 0, 0, 16), v4(100, 64, 0, 0, 10), v6(0xfc00, 0, 7)];

/// IANA's special-purpose IPv4 ranges, and the public address that Azure uses for metadata.
const SPECIAL_V4: [IpNet; 17] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(168, 63, 129, 16, 32),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 31, 196, 0, 24),
    v4(192, 52, 193, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 3),
];

/// The only range of IPv6 in which public addresses lie.
const GLOBAL_V6: IpNet = v6(0x2000, 0, 3);

/// The special ranges inside it: protocol assignments and Teredo, documentation, 6to4.
const SPECIAL_V6: [IpNet; 4] = [v6(0x2001, 0, 23), v6(0x2001, 0xdb8, 32), v6(0x2002, 0, 16), v6(0x3fff, 0, 20)];

/// Networks without IPv4 reach it through this prefix (NAT64, RFC 6052).
const NAT64: IpNet = v6(0x64, 0xff9b, 96);

/// Takes a canonical address, that is, no IPv4 in IPv6 clothes.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => !SPECIAL_V4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(v6) if NAT64.contains(&ip) => {
            let [.., a, b, c, d] = v6.octets();
            is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(_) => GLOBAL_V6.contains(&ip) && !SPECIAL_V6.iter().any(|net| net.contains(&ip)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_reached_by_default() {
        let policy = OutboundPolicy::default();
        let public = ["1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101"];
        let special = [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:a9fe:a9fe",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for ip in public {
            assert!(policy.permits_ip(ip.parse().unwrap()), "{ip}");
        }
        for ip in special {
            assert!(!policy.permits_ip(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn an_exception_opens_what_it_says_and_no_more() {
        let cases = [
            ("loopback", "127.0.0.1:80", true),
            ("loopback", "[::1]:80", true),
            ("loopback", "[::ffff:127.0.0.1]:80", true),
            ("loopback", "10.0.0.1:80", false),
            ("private", "10.0.0.1:80", true),
            ("private", "[fd00::1]:80", true),
            ("private", "169.254.169.254:80", false),
            ("private", "127.0.0.1:80", false),
            ("10.1.0.0/16", "10.1.9.9:80", true),
            ("10.1.0.0/16", "[::ffff:10.1.9.9]:80", true),
            ("10.1.0.0/16", "10.2.0.1:80", false),
            ("192.168.0.7", "192.168.0.7:1", true),
            ("127.0.0.1:7070", "127.0.0.1:7070", true),
            ("127.0.0.1:7070", "[::ffff:127.0.0.1]:7070", true),
            ("127.0.0.1:7070", "127.0.0.1:7071", false),
            ("[::1]:7070", "[::1]:7070", true),
            ("any", "169.254.169.254:80", true),
            ("db.internal", "10.0.0.1:80", false),
        ];
        for (exception, address, permitted) in cases {
            let policy = OutboundPolicy::default().allow(exception.parse().unwrap());
            assert_eq!(policy.permits(address.parse().unwrap()), permitted, "{exception}: {address}");
        }
    }

    #[test]
    fn a_host_is_named_exactly() {
        let policy = OutboundPolicy::default().allow("DB.internal".parse().unwrap());
        for (host, permitted) in
            [("db.internal", true), ("DB.INTERNAL.", true), ("x.db.internal", false), ("db", false)]
        {
            assert_eq!(policy.permits_host(host), permitted, "{host}");
        }
    }

    #[test]
    fn exceptions_are_read_and_shown_alike() {
        for text in ["loopback", "private", "any", "10.0.0.0/8", "127.0.0.1:7070", "[::1]:7070", "db.internal"] {
            assert_eq!(text.parse::<Allow>().unwrap().to_string(), text);
        }
        for text in ["", "10.0.0.0/33", "127.1", "0x7f.1", "a b", "http://x", "-", "256.0.0.1", "a..b"] {
            assert_eq!(text.parse::<Allow>(), Err(AllowError { text: text.to_owned() }));
        }
    }
}
