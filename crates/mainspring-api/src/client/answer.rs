//! From HTTP answer to value or error.

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use super::ClientError;
use crate::ProblemDetails;

/// Passes an answer of success, and makes an error of any other.
pub(super) async fn accepted(response: Response) -> Result<Response, ClientError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let content_type = content_type(&response);
    let body = body(response).await?;
    match serde_json::from_slice::<ProblemDetails>(&body) {
        Ok(problem) if content_type == ProblemDetails::MEDIA_TYPE => Err(ClientError::Refused(Box::new(problem))),
        _ => {
            let reason = format!("{} of type \"{content_type}\"", excerpt(&body));
            Err(ClientError::NotUnderstood { status: status.as_u16(), reason })
        }
    }
}

/// Reads the body of an answer of success.
pub(super) async fn json<T: DeserializeOwned>(response: Response) -> Result<T, ClientError> {
    let status = response.status().as_u16();
    let body = body(response).await?;
    let mut reader = serde_json::Deserializer::from_slice(&body);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let reason = format!("{error} in {}", excerpt(&body));
        ClientError::NotUnderstood { status, reason }
    })
}

pub(super) async fn body(response: Response) -> Result<Vec<u8>, ClientError> {
    let address = response.url().origin().ascii_serialization();
    let body = response.bytes().await;
    body.map(Vec::from).map_err(|source| ClientError::unreachable(&address, source))
}

pub(super) fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn excerpt(body: &[u8]) -> String {
    const MOST: usize = 120;
    let text = String::from_utf8_lossy(&body[..body.len().min(MOST)]).into_owned();
    format!("{text:?}{}", if body.len() > MOST { "…" } else { "" })
}
