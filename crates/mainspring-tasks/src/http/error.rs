//! Errors of HTTP calls, as a stable code and a sentence.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use reqwest::Url;

use super::request::shown;
use crate::ended::TaskError;

/// The outbound policy does not let us there.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{host}` is at {ip}, where nothing may be sent: it is no public address, and no exception of the settings names it"
)]
pub struct Denied {
    /// The host, as it was named.
    pub host: String,
    /// Its address.
    pub ip: IpAddr,
}

/// The name has no address.
#[derive(Debug, thiserror::Error)]
#[error("could not find the address of `{host}`")]
pub(super) struct Unresolved {
    pub(super) host: String,
    #[source]
    pub(super) source: io::Error,
}

impl From<Denied> for TaskError {
    fn from(denied: Denied) -> Self {
        Self::new("http.denied_address", denied.to_string())
    }
}

/// Finds out what stands behind the client's error.
pub(super) fn explain(error: &reqwest::Error, url: &Url) -> TaskError {
    let place = shown(url);
    if let Some(denied) = find::<Denied>(error) {
        return TaskError::new("http.denied_address", denied.to_string());
    }
    if let Some(unresolved) = find::<Unresolved>(error) {
        return TaskError::new("http.dns", format!("{unresolved}: {}", unresolved.source));
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return TaskError::new("http.tls", format!("no trusted connection to {place}: {tls}"));
    }
    let cause = root(error);
    if error.is_connect() {
        return TaskError::new("http.connect", format!("could not connect to {place}: {cause}"));
    }
    if error.is_body() || error.is_decode() {
        return TaskError::new("http.body", format!("the answer of {place} broke off: {cause}"));
    }
    TaskError::new("http.protocol", format!("the exchange with {place} failed: {cause}"))
}

/// Looks for a cause of type `T`, also inside I/O errors, which do not count what they wrap among
/// their sources.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        next = inner(error);
    }
    None
}

fn root(error: &(dyn Error + 'static)) -> String {
    let mut deepest = error;
    while let Some(next) = inner(deepest) {
        deepest = next;
    }
    deepest.to_string()
}

fn inner<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
