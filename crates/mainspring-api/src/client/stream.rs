//! Answers that go on: events and growing logs.

use std::collections::VecDeque;

use reqwest::header::ACCEPT;
use reqwest::{Method, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sse::{Message, Parser};
use super::{Client, ClientError, answer};
use crate::{Event, LogLine, Run};

const EVENT_STREAM: &str = "text/event-stream";

/// Events as they happen. Dropping it ends the stream.
#[derive(Debug)]
pub struct EventStream(Messages);

/// A log as it grows. Dropping it ends the stream.
#[derive(Debug)]
pub struct LogStreamReader(Messages);

/// What a growing log brings.
#[derive(Debug, Clone, PartialEq)]
pub enum LogItem {
    /// A line.
    Line(LogLine),
    /// The run is final, and this was its log.
    End(Box<Run>),
}

impl EventStream {
    pub(super) fn new(messages: Messages) -> Self {
        Self(messages)
    }

    /// Returns the next event, or `None` when the server ends the stream.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`] when the connection breaks: ask again for the events after the last id.
    pub async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        match self.0.next().await? {
            Some(message) => Ok(Some(self.0.read(&message)?)),
            None => Ok(None),
        }
    }
}

impl LogStreamReader {
    pub(super) fn new(messages: Messages) -> Self {
        Self(messages)
    }

    /// Returns the next line or the end; `None` after that.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`] when the connection breaks: ask again from the line after the last.
    pub async fn next(&mut self) -> Result<Option<LogItem>, ClientError> {
        while let Some(message) = self.0.next().await? {
            match message.event.as_str() {
                "line" => return Ok(Some(LogItem::Line(self.0.read(&message)?))),
                "end" => return Ok(Some(LogItem::End(self.0.read(&message)?))),
                // Something of a later version.
                _ => {}
            }
        }
        Ok(None)
    }
}

impl Client {
    pub(super) async fn stream(
        &self,
        path: &str,
        query: &impl Serialize,
        last_id: Option<&str>,
    ) -> Result<Messages, ClientError> {
        let mut request = self.request(Method::GET, path).query(query).header(ACCEPT, EVENT_STREAM);
        if let Some(id) = last_id {
            request = request.header("Last-Event-ID", id);
        }
        let response = answer::accepted(self.response(request).await?).await?;
        let content_type = answer::content_type(&response);
        if content_type != EVENT_STREAM {
            let reason = format!("a stream was expected, not \"{content_type}\"");
            return Err(ClientError::NotUnderstood { status: response.status().as_u16(), reason });
        }
        let address = self.address().to_owned();
        Ok(Messages { response, address, parser: Parser::default(), ready: VecDeque::new() })
    }
}

/// The messages of an event stream.
#[derive(Debug)]
pub(super) struct Messages {
    response: Response,
    address: String,
    parser: Parser,
    ready: VecDeque<Message>,
}

impl Messages {
    async fn next(&mut self) -> Result<Option<Message>, ClientError> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            let bytes =
                self.response.chunk().await.map_err(|source| ClientError::unreachable(&self.address, source))?;
            let Some(bytes) = bytes else { return Ok(None) };
            self.parser
                .push(&bytes, &mut self.ready)
                .map_err(|_| self.not_understood("a message is too large".to_owned()))?;
        }
    }

    fn read<T: DeserializeOwned>(&self, message: &Message) -> Result<T, ClientError> {
        serde_json::from_str(&message.data).map_err(|error| self.not_understood(error.to_string()))
    }

    fn not_understood(&self, reason: String) -> ClientError {
        ClientError::NotUnderstood { status: self.response.status().as_u16(), reason }
    }
}
