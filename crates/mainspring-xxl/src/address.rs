//! Where an executor is called.

use std::fmt;

use reqwest::Url;

/// The base address of an executor, without slashes at its end.
///
/// Java writes a slash at the end, Go and pyxxl none, and Node a path: all of them are one address.
///
/// ```
/// use mainspring_xxl::Address;
/// let address = Address::parse("http://10.0.0.7:9999//").unwrap();
/// assert_eq!((address.as_str(), address.join("run")), ("http://10.0.0.7:9999", "http://10.0.0.7:9999/run".to_owned()));
/// assert_eq!(Address::parse("http://h:3000/job").unwrap().join("beat"), "http://h:3000/job/beat");
/// assert!(Address::parse("file:///etc/passwd").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address(String);

/// The text is no address that an executor can be called at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is no address of an executor: {problem}")]
pub struct AddressError {
    text: String,
    problem: &'static str,
}

/// Longest address in bytes; XXL-JOB's column has as many.
const LENGTH_MAX: usize = 255;

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is no `http` or `https` URL with a host, has a user, a query or a fragment, or more than 255 bytes.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let refused = |problem| AddressError { text: text.chars().take(LENGTH_MAX).collect(), problem };
        let trimmed = text.trim().trim_end_matches('/');
        if trimmed.len() > LENGTH_MAX {
            return Err(refused("it has more than 255 bytes"));
        }
        let url = Url::parse(trimmed).map_err(|_| refused("it is no URL"))?;
        let problem = if !matches!(url.scheme(), "http" | "https") {
            Some("it must begin with http:// or https://")
        } else if url.host_str().is_none_or(str::is_empty) {
            Some("it names no host")
        } else if !url.username().is_empty() || url.password().is_some() {
            Some("it must name no user")
        } else if url.query().is_some() || url.fragment().is_some() {
            Some("it must have no query and no fragment")
        } else {
            None
        };
        match problem {
            Some(problem) => Err(refused(problem)),
            None => Ok(Self(url.as_str().trim_end_matches('/').to_owned())),
        }
    }

    /// Returns the address as it is called.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address of a method, exactly: executors refuse a double slash and a query.
    #[must_use]
    pub fn join(&self, method: &str) -> String {
        format!("{}/{method}", self.0)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        for (text, problem) in [
            ("10.0.0.7:9999", "it is no URL"),
            ("", "it is no URL"),
            ("ftp://h/", "it must begin with http:// or https://"),
            ("http://", "it is no URL"),
            ("http://u:p@h:1", "it must name no user"),
            ("http://h:1/?x=1", "it must have no query and no fragment"),
            ("http://h:1/#x", "it must have no query and no fragment"),
            ("http://h:99999", "it is no URL"),
        ] {
            assert_eq!(Address::parse(text).unwrap_err().problem, problem, "{text}");
        }
        let long = format!("http://h/{}", "x".repeat(300));
        assert_eq!(Address::parse(&long).unwrap_err().problem, "it has more than 255 bytes");
    }

    #[test]
    fn spellings_of_one_address_are_equal() {
        let spellings = ["http://H.example:80/", "http://h.example", " http://h.example/// "];
        let read: Vec<Address> = spellings.iter().map(|text| Address::parse(text).unwrap()).collect();
        assert!(read.iter().all(|address| *address == read[0]), "{read:?}");
    }
}
