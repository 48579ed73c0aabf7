//! The tokens of an app, and who says to be which.

use reqwest::header::HeaderMap;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Header with the token; the second name is that of 2.1, which pyxxl sends too.
pub(crate) const TOKEN: &str = "xxl-job-access-token";
const OLD_TOKEN: &str = "xxl-rpc-access-token";
/// Header with the name of the app, in 3.5 only.
pub(crate) const APP: &str = "xxl-job-appname";

/// What a request says of its sender.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Credentials {
    /// The token. Go sends it empty when it has none, which is the same as not sending it.
    pub token: Option<String>,
    /// The app that the header names. It is there in 3.5 only.
    pub app: Option<String>,
    /// Whether the token came under the name of 2.1 alone.
    pub is_old: bool,
}

impl Credentials {
    /// Reads the headers of a request. Blank ones, and those that are no text, count as absent.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let read = |name| {
            let text = headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
            text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (new, old) = (read(TOKEN), read(OLD_TOKEN));
        Self { is_old: new.is_none() && old.is_some(), token: new.or(old), app: read(APP) }
    }
}

/// The tokens that open an app: one, or two while it is changed.
///
/// There is no default, and an app without a token opens for nobody.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Tokens(Vec<String>);

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokens({})", self.0.len())
    }
}

impl Tokens {
    /// Takes the tokens of an app, the current one first. Blank ones are left out.
    #[must_use]
    pub fn new(tokens: impl IntoIterator<Item = String>) -> Self {
        Self(tokens.into_iter().filter(|token| !token.trim().is_empty()).collect())
    }

    /// Tells whether a request may act for the app. Takes the same time whichever byte is wrong.
    ///
    /// ```
    /// use mainspring_xxl::{Credentials, Tokens};
    /// let tokens = Tokens::new(["new".to_owned(), "old".to_owned()]);
    /// let with = |token: &str| Credentials { token: Some(token.to_owned()), ..Credentials::default() };
    /// assert!(tokens.accept(&with("new")) && tokens.accept(&with("old")));
    /// assert!(!tokens.accept(&with("other")) && !tokens.accept(&Credentials::default()));
    /// assert!(!Tokens::new([String::new()]).accept(&with("")));
    /// ```
    #[must_use]
    pub fn accept(&self, credentials: &Credentials) -> bool {
        let Some(given) = &credentials.token else { return false };
        // Digests have one length, so that the length of a token shows in no time either.
        let given = Sha256::digest(given.as_bytes());
        let equal = |token: &String| given.as_slice().ct_eq(Sha256::digest(token.as_bytes()).as_slice());
        self.0.iter().map(equal).fold(subtle::Choice::from(0), |any, equal| any | equal).into()
    }

    /// The token that is sent to executors.
    #[must_use]
    pub fn current(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderName;

    use super::*;

    #[test]
    fn the_token_may_come_under_either_name() {
        type Given<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Given<'_>, Option<&str>, bool); 6] = [
            (&[("XXL-JOB-ACCESS-TOKEN", "a")], Some("a"), false),
            (&[("XXL-RPC-ACCESS-TOKEN", "b")], Some("b"), true),
            (&[("XXL-JOB-ACCESS-TOKEN", "a"), ("XXL-RPC-ACCESS-TOKEN", "b")], Some("a"), false),
            (&[("XXL-JOB-ACCESS-TOKEN", ""), ("XXL-RPC-ACCESS-TOKEN", "b")], Some("b"), true),
            (&[("XXL-JOB-ACCESS-TOKEN", " ")], None, false),
            (&[], None, false),
        ];
        for (given, token, is_old) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
            }
            let read = Credentials::of(&headers);
            assert_eq!((read.token.as_deref(), read.is_old, read.app), (token, is_old, None), "{given:?}");
        }
    }

    #[test]
    fn tokens_do_not_show_in_logs() {
        assert_eq!(format!("{:?}", Tokens::new(["secret".to_owned()])), "Tokens(1)");
    }
}
