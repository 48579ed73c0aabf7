//! `http`: a call to a web server for each item.

use serde::{Deserialize, Serialize};

use super::Content;
use crate::job::HttpTask;
use crate::workflow::expression;

/// A call whose address, headers and body may hold expressions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpBody {
    /// The call. Without a body, the payload of the item is sent where the method has one.
    pub call: HttpTask,
}

impl HttpBody {
    /// Makes the call for an item; the body apart, which need not be a text.
    ///
    /// # Errors
    /// An expression has no value for the item.
    pub fn for_item(&self, item: &Content) -> Result<(HttpTask, Option<Vec<u8>>), String> {
        let values = item.values();
        let made = |what: &str, text: &str| {
            expression::render(text, &values).map_err(|error| format!("the {what} cannot be made: {error}"))
        };
        let header = |(name, value): &(String, String)| Ok((name.clone(), made(&format!("header {name}"), value)?));
        let body = match &self.call.body {
            Some(text) => Some(made("body", text)?.into_bytes()),
            None => matches!(&*self.call.method, "POST" | "PUT" | "PATCH").then(|| item.payload.clone()),
        };
        let headers = self.call.headers.iter().map(header).collect::<Result<_, String>>()?;
        Ok((HttpTask { url: made("address", &self.call.url)?, headers, body: None, ..self.call.clone() }, body))
    }
}
