//! Where the other nodes find this one: they pass requests about its flows on to that address, with the tokens of those who ask.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::http::Uri;
use mainspring_tasks::OutboundPolicy;

use crate::node::host_name;

/// How long the addresses of a host name are looked for, to warn.
const LOOKUP_MAX: Duration = Duration::from_secs(5);
/// As much as every database keeps.
const BYTES_MAX: usize = 1_024;

/// Reads `http://HOST:PORT`, `https://HOST`, with or without a path, for an option.
///
/// # Errors
/// Says what is expected, for clap to show.
pub fn url(text: &str) -> Result<String, String> {
    let unfit = || {
        "say http://HOST:PORT, https://HOST or https://HOST/PATH, by which the other nodes reach this one".to_owned()
    };
    let uri: Uri = text.parse().map_err(|_| unfit())?;
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(unfit()) };
    let is_plain = !authority.host().is_empty() && !authority.as_str().contains('@') && authority.port_u16() != Some(0);
    let is_nowhere = host_of(&uri).parse().is_ok_and(|ip: IpAddr| ip.is_unspecified());
    if !is_plain || is_nowhere || uri.query().is_some() || text.contains('#') || text.len() > BYTES_MAX {
        return Err(unfit());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Where other machines find a listener: one on all interfaces has no address that means the same elsewhere.
pub fn of_listener(listen: SocketAddr) -> String {
    match listen.ip().is_unspecified() {
        true => format!("http://{}:{}", host_name(), listen.port()),
        false => format!("http://{listen}"),
    }
}

/// Warns where tokens would cross a public network in the clear.
pub async fn warn(address: String) {
    if is_in_the_clear(&address).await {
        tracing::warn!(
            address,
            "other nodes send access tokens to this address in the clear: let --advertise be https://, or an address in a private network"
        );
    }
}

async fn is_in_the_clear(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    if uri.scheme_str() != Some("http") {
        return false;
    }
    let port = uri.port_u16().unwrap_or(80);
    let found = tokio::time::timeout(LOOKUP_MAX, tokio::net::lookup_host((host_of(&uri), port))).await;
    // Public is what HTTP tasks may reach without more.
    let is_public = |address: SocketAddr| OutboundPolicy::default().permits(address);
    found.is_ok_and(|found| found.is_ok_and(|mut found| found.any(is_public)))
}

fn host_of(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_matches(['[', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_told_an_address_that_means_something_there() {
        assert_eq!(of_listener("10.0.0.7:7070".parse().unwrap()), "http://10.0.0.7:7070");
        assert_eq!(of_listener("[::1]:7070".parse().unwrap()), "http://[::1]:7070");
        assert_eq!(of_listener("0.0.0.0:7070".parse().unwrap()), format!("http://{}:7070", host_name()));
    }

    #[test]
    fn an_address_to_advertise_is_one_that_others_can_call() {
        for (text, kept) in [
            ("http://10.0.0.7:7070", "http://10.0.0.7:7070"),
            ("https://a.example/", "https://a.example"),
            ("https://a.example/jobs/", "https://a.example/jobs"),
            ("http://[fd00::7]:7070", "http://[fd00::7]:7070"),
        ] {
            assert_eq!(url(text).as_deref(), Ok(kept), "{text}");
        }
        let long = format!("http://{}", "x".repeat(BYTES_MAX));
        for wrong in [
            "",
            "10.0.0.7:7070",
            "a.example",
            "/jobs",
            "ftp://a.example",
            "http://",
            "http://a:0",
            "http://0.0.0.0:7070",
            "http://[::]:7070",
            "http://u:p@a.example",
            "http://a.example/?x",
            "http://a.example/#x",
            "http://a b",
            &long,
        ] {
            let error = url(wrong).expect_err(wrong);
            assert!(error.contains("https://HOST/PATH"), "{wrong}: {error}");
        }
    }

    #[tokio::test]
    async fn tokens_in_the_clear_are_warned_of_where_the_network_is_public() {
        for (address, warns) in [
            ("http://127.0.0.1:7070", false),
            ("http://[::1]:7070", false),
            ("http://10.0.0.7:7070", false),
            ("http://[fd00::7]:7070", false),
            ("http://1.1.1.1:7070", true),
            ("https://1.1.1.1:7070", false),
        ] {
            assert_eq!(is_in_the_clear(address).await, warns, "{address}");
        }
    }
}
