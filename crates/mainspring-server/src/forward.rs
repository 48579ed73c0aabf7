//! Requests about a flow that reach a node which does not run it: they are passed on to the node that does, once.
//!
//! The caller's own token or session goes along, so that the owner decides who may do what. Why it is made like this:
//! `docs/decisions/forwarding.md`.

pub(crate) mod client;

use std::collections::BTreeMap;
use std::time::Duration;

use axum::RequestExt;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use mainspring_api::{self as api, ErrorCode};
use mainspring_core::cluster::Shard;
use mainspring_core::shard_of;
use mainspring_store::causes;
use tokio::sync::oneshot;

use crate::access::Caller;
use crate::app::App;
use crate::refusal::{Answer, Refusal};
use crate::show;

/// Names the process start for which a request was passed on: no other one answers it, and none passes it on again.
const FORWARDED_TO: HeaderName = HeaderName::from_static("mainspring-forwarded-to");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// From the end of a request to the beginning of its answer. Clients wait for 30 s, and are to hear what was waited for.
const ANSWER_MAX: Duration = Duration::from_secs(25);

/// Headers that are of one connection (RFC 9110, 7.6.1), or that the next one has anew.
const OF_CONNECTION: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

/// Whether this node runs flows of this name.
pub(crate) fn is_here(app: &App, namespace: &str, flow: &str) -> bool {
    let shard = Shard(shard_of(namespace, flow));
    let is_shared = app.control().store().cluster().is_some();
    !is_shared || app.engine.cluster_status().is_some_and(|status| status.may_act_on(shard))
}

/// The other node that runs flows of this name.
pub(crate) fn owner(app: &App, namespace: &str, flow: &str) -> Option<api::Node> {
    let status = app.engine.cluster_status()?;
    let owner = status.shards.get(&Shard(shard_of(namespace, flow)))?.owner.to_string();
    show::nodes(app).into_iter().find(|node| !node.answering && node.id == owner)
}

/// Passes a request about a flow on to the node that runs it. What this node runs, it answers.
pub(crate) async fn to_owner(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let places = request.extract_parts::<Path<BTreeMap<String, String>>>().await;
    let places = places.map(|Path(places)| places).unwrap_or_default();
    let (Some(namespace), Some(flow)) = (places.get("namespace"), places.get("flow")) else {
        return next.run(request).await;
    };
    if is_here(&app, namespace, flow) {
        return next.run(request).await;
    }
    if let Some(meant) = request.headers().get(FORWARDED_TO) {
        let is_meant = meant.as_bytes() == app.engine.incarnation().to_string().as_bytes();
        return if is_meant { next.run(request).await } else { misled(&app.node_name).into_response() };
    }
    match owner(&app, namespace, flow) {
        Some(node) if node.address.is_some() => {
            pass_on(&app, &node, request).await.unwrap_or_else(Refusal::into_response)
        }
        // Nobody runs it, or it is not known who: the answer says so.
        _ => next.run(request).await,
    }
}

async fn pass_on(app: &App, node: &api::Node, request: Request) -> Answer<Response> {
    let address = node.address.as_deref().unwrap_or_default();
    let is_session = matches!(request.extensions().get(), Some(Caller::Session(_)));
    let (parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let has_body = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING].iter().any(|it| parts.headers.contains_key(it));
    let mut headers = end_to_end(&parts.headers);
    // The next connection is to another host.
    headers.remove(header::HOST);
    headers.insert(FORWARDED_TO, HeaderValue::from_str(&node.id).expect("an id is of digits and letters"));
    if is_session {
        // It was found to be of a page of this server, whose address the other one does not know.
        headers.insert(SEC_FETCH_SITE, HeaderValue::from_static("same-origin"));
    }
    let client = app.forwarder.client().await.map_err(|why| Refusal::new(ErrorCode::ServerInternal, why))?;
    let request = client.request(parts.method, format!("{address}{target}")).headers(headers);
    let (sending, sent) = oneshot::channel::<()>();
    let request = if has_body {
        // Dropped with the body, once that is sent.
        let parts = body.into_data_stream().inspect_ok(move |_| _ = sending.is_closed());
        request.body(reqwest::Body::wrap_stream(parts))
    } else {
        drop(sending);
        request
    };
    let too_long = async {
        let _ = sent.await;
        let _ = tokio::time::timeout(ANSWER_MAX, std::future::pending::<()>()).await;
    };
    tokio::select! {
        answer = request.send() => answer.map(answered).map_err(|error| failed(node, address, error)),
        () = too_long => {
            let reason = format!("nothing came within {} s", ANSWER_MAX.as_secs());
            Err(unanswered(node, address, &reason))
        }
    }
}

/// An answer of the owner as this node's own.
fn answered(answer: reqwest::Response) -> Response {
    let (status, mut headers) = (answer.status(), end_to_end(answer.headers()));
    // Sessions are renewed by the node that the browser talks to.
    headers.remove(header::SET_COOKIE);
    let mut response = Response::new(Body::from_stream(answer.bytes_stream()));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Headers that are for the other end, not for the connection.
fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> = named.flat_map(|it| it.split(',')).map(|it| it.trim().to_ascii_lowercase()).collect();
    let is_kept = |name: &HeaderName| !OF_CONNECTION.contains(name) && !named.iter().any(|it| it == name.as_str());
    headers.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn failed(node: &api::Node, address: &str, error: reqwest::Error) -> Refusal {
    let (is_unsent, reason) = (error.is_connect() || error.is_builder(), causes(&error.without_url()));
    if !is_unsent {
        return unanswered(node, address, &reason);
    }
    let why = format!("node \"{}\" runs the flow, and cannot be reached at {address}: {reason}", node.name);
    Refusal::new(ErrorCode::FlowUnreachable, why)
        .hint(format!("where the address is another one for this node, start \"{}\" with --advertise URL", node.name))
}

fn unanswered(node: &api::Node, address: &str, reason: &str) -> Refusal {
    let why = format!("node \"{}\" runs the flow, and has not answered at {address}: {reason}", node.name);
    Refusal::new(ErrorCode::FlowUnreachable, why).hint("look at the flow before you repeat it: it may have been done")
}

/// Answers a request that was passed on to another process than this one.
fn misled(me: &str) -> Refusal {
    let why = format!(
        "the node that runs the flow is not the one that answers at its address, \"{me}\": it was started again, or its address leads here"
    );
    Refusal::new(ErrorCode::FlowUnreachable, why).hint(
        "try again in some seconds; if that does not help, start the node that runs the flow with --advertise URL",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_connection_stay_with_it() {
        let pairs = [
            ("connection", "close, X-Once"),
            ("x-once", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("authorization", "Bearer t"),
            ("content-length", "3"),
        ];
        let headers = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let kept = end_to_end(&headers);
        let mut names: Vec<&str> = kept.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["authorization", "content-length"]);
    }
}
