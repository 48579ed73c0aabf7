//! `http`: a call to a web server for each item, whose answer becomes the payload.

use mainspring_core::flow::body::{Content, Done, HttpBody};
use mainspring_tasks::{HttpCall, LogWriter, Outcome};

use super::{Run, failed, goes, goes_changed, lines};
use crate::process;

/// Bytes of an answer that become a payload at most.
const ANSWER_MAX: usize = 16 << 20;

impl Run {
    pub(super) async fn http(&self, body: &HttpBody, contents: &mut [Content]) -> Done {
        let Some(processes) = self.tools.processes.clone() else {
            return failed("this node makes no calls: start the server with a data folder".to_owned());
        };
        // A source calls with an item of its own.
        let mut source = Content::default();
        let (item, is_source) = match contents.first_mut() {
            Some(item) => (item, false),
            None => (&mut source, true),
        };
        let (call, payload) = match body.for_item(item) {
            Ok(made) => made,
            Err(message) => return Done { lines: vec![message], ..goes("failure", usize::from(!is_source)) },
        };
        let call = HttpCall { body: payload, keep_max: ANSWER_MAX, ..process::http(&call) };
        let (log, reader) = LogWriter::channel(64, || 0);
        let (ended, mut lines) = tokio::join!(processes.call_body(call, log, self.given_up()), lines(reader));
        if ended.outcome == Outcome::Cancelled {
            return failed("the call was given up".to_owned());
        }
        if let Some(status) = ended.http_status {
            item.attributes.insert("http.status".to_owned(), status.to_string());
        }
        let relationship = match &ended.error {
            None => {
                item.attributes.remove("http.error");
                item.payload = ended.body.unwrap_or_default();
                "success"
            }
            Some(error) => {
                item.attributes.insert("http.error".to_owned(), error.message.clone());
                lines.push(error.message.clone());
                "failure"
            }
        };
        let done = if is_source { super::made(relationship, source) } else { goes_changed(relationship, item) };
        Done { lines, ..done }
    }
}
