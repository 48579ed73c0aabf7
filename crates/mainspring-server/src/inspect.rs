//! A look at every answer in JSON before it leaves, for tests: whether it is what the description of the API says.

use std::fmt;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;

/// An answer of the server.
#[derive(Clone, Copy, Debug)]
pub struct Inspected<'a> {
    /// The method that was asked, in capitals.
    pub method: &'a str,
    /// The path of the route, with the names of its parts in braces.
    pub route: &'a str,
    /// The status.
    pub status: u16,
    /// The media type, without parameters.
    pub media_type: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// What looks at answers.
#[derive(Clone)]
pub struct Inspect(Arc<dyn Fn(Inspected<'_>) + Send + Sync>);

impl Inspect {
    /// Calls `look` with each answer that has a body in JSON.
    pub fn new(look: impl Fn(Inspected<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }
}

impl fmt::Debug for Inspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inspect")
    }
}

/// Shows the answer of a route, and hands it on.
pub(crate) async fn look(State(inspect): State<Inspect>, request: Request, next: Next) -> Response {
    let method = request.method().to_string();
    let response = next.run(request).await;
    let route = response.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|value| value.split(';').next()).unwrap_or_default().to_owned();
    let Some(route) = route.filter(|_| matches!(&*media_type, "application/json" | "application/problem+json")) else {
        return response;
    };
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let status = parts.status.as_u16();
    (inspect.0)(Inspected { method: &method, route: &route, status, media_type: &media_type, body: &body });
    Response::from_parts(parts, Body::from(body))
}
