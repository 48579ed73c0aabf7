//! Requests that are not carried out: one type, answered as `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mainspring_api::{ErrorCode, Problem, ProblemDetails, did_you_mean};
use mainspring_engine::control::{self, RerunError};
use mainspring_store as store;

use crate::convert;

/// Why a request is not carried out. The outermost layer writes it, with the request's id.
#[derive(Clone, Debug)]
pub(crate) struct Refusal(pub(crate) Box<ProblemDetails>);

/// What a handler returns.
pub(crate) type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self(Box::new(ProblemDetails::new(code, detail)))
    }

    pub(crate) fn invalid(problems: Vec<Problem>) -> Self {
        Self(Box::new(ProblemDetails::invalid(problems)))
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self(Box::new(self.0.hint(hint)))
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> Option<ErrorCode> {
        self.0.error_code()
    }

    /// Writes the answer.
    pub(crate) fn written(mut self, request_id: &str) -> Response {
        self.0.request_id = Some(request_id.to_owned());
        let body = serde_json::to_vec(&self.0).expect("plain data has a text");
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(ProblemDetails::MEDIA_TYPE));
        match self.0.error_code() {
            Some(
                ErrorCode::AuthMissing
                | ErrorCode::AuthInvalid
                | ErrorCode::AuthSessionInvalid
                | ErrorCode::AuthCode
                | ErrorCode::WorkerTokenExpired,
            ) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"mainspring\""));
            }
            Some(
                ErrorCode::QueueFull
                | ErrorCode::ServerBusy
                | ErrorCode::ServerDraining
                | ErrorCode::StoreUnavailable
                | ErrorCode::FlowUnreachable
                | ErrorCode::IdempotencyPending,
            ) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

/// Carries the refusal to the layer that writes it.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Self {
        let text = store::causes(&error);
        match error {
            store::Error::NotFound { what, .. } => Self::new(not_found(what), text),
            store::Error::Conflict { what: "run", .. } => Self::new(ErrorCode::RunFinal, text),
            store::Error::Conflict { .. } => Self::new(ErrorCode::ResourceConflict, text),
            store::Error::Superseded { .. } => Self::new(ErrorCode::IdempotencyPending, text),
            store::Error::Unusable { .. } | store::Error::Fenced => Self::new(ErrorCode::StoreUnavailable, text),
            store::Error::Unavailable { ref source, .. } if is_disk_full(&**source) => {
                Self::new(ErrorCode::StoreFull, text)
            }
            store::Error::Rejected { .. } => {
                tracing::error!(error = text, "the store refused a request for good");
                Self::new(ErrorCode::StoreRejected, text)
            }
            store::Error::Unavailable { .. } | store::Error::TooMuch { .. } => {
                tracing::error!(error = text, "the store could not answer a request");
                Self::new(ErrorCode::StoreUnavailable, text)
            }
            store::Error::Closed => Self::new(ErrorCode::ServerDraining, "the server is shutting down"),
        }
    }
}

impl From<control::Error> for Refusal {
    fn from(error: control::Error) -> Self {
        match error {
            control::Error::Store(error) => error.into(),
            control::Error::Name(error) => Self::new(ErrorCode::NameInvalid, error.to_string()),
            control::Error::Data(error) => Self::new(ErrorCode::JobDataInvalid, error.to_string()),
            control::Error::Rerun(error) => error.into(),
            error @ control::Error::QueueFull { .. } => Self::new(ErrorCode::QueueFull, error.to_string()),
            control::Error::Refused(why) => Self::new(ErrorCode::ResourceConflict, why),
            control::Error::Invalid { path, error, .. } => {
                // Definitions are compiled before they get there, so this is a race with a calendar's deletion.
                let problem = Problem::new(convert::code_of(error.code), format!("{path}: {error}"));
                Self::invalid(vec![match error.hint {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                }])
            }
        }
    }
}

impl From<RerunError> for Refusal {
    fn from(error: RerunError) -> Self {
        let detail = error.to_string();
        match error {
            RerunError::NotWorkflow { .. } => Self::new(ErrorCode::RunNotWorkflow, detail),
            RerunError::Live { run, .. } => {
                Self::new(ErrorCode::RunLive, detail).hint(format!("mainspring run wait {run}"))
            }
            RerunError::LiveVersion { .. } => {
                Self::new(ErrorCode::RunLive, detail).hint("leave the version out, or wait for the end of the run")
            }
            RerunError::Running { run, .. } => Self::new(ErrorCode::RunLive, detail)
                .hint(format!("wait for their ends, or cancel them: mainspring run rerun {run} … --cancel-running")),
            RerunError::Busy { run } => Self::new(ErrorCode::RunLive, detail)
                .hint(format!("pause it first, so that nothing new starts: mainspring run pause {run}")),
            RerunError::UnknownTask { name, known, .. } => {
                let refusal = Self::new(ErrorCode::TaskNotFound, detail);
                match did_you_mean(&name, known.iter().map(String::as_str)) {
                    Some(hint) => refusal.hint(hint),
                    None => refusal,
                }
            }
            RerunError::UnknownVersion(_) => Self::new(ErrorCode::VersionNotFound, detail),
            RerunError::Nothing { .. } => Self::new(ErrorCode::RunNothingToRerun, detail),
            RerunError::Repeated { newest, .. } => {
                Self::new(ErrorCode::RunRepeated, detail).hint(format!("mainspring run rerun {newest} … --cascade"))
            }
            RerunError::Overtaken { .. } => Self::new(ErrorCode::RunPlanStale, detail),
        }
    }
}

fn not_found(what: &str) -> ErrorCode {
    match what {
        "trigger" => ErrorCode::TriggerNotFound,
        "calendar" => ErrorCode::CalendarNotFound,
        "run" => ErrorCode::RunNotFound,
        "namespace" => ErrorCode::NamespaceNotFound,
        _ => ErrorCode::JobNotFound,
    }
}

fn is_disk_full(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(|error| {
        let io = error.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::StorageFull) || error.to_string().contains("disk is full")
    })
}
