//! What executors send: registrations and callbacks, in every dialect.

use serde_json::Value;

use crate::address::{Address, AddressError};
use crate::dialect::{Dialect, Evidence};
use crate::lenient;

/// The three requests of an executor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// It is there.
    Registry,
    /// It goes; callbacks of its runs may follow.
    RegistryRemove,
    /// Runs have ended.
    Callback,
}

impl Method {
    /// Reads the path of a request: `/api/NAME`, or `/xxl-job-admin/api/NAME`. Some forks of the Go executor write the
    /// name with a capital, so its case does not matter.
    ///
    /// ```
    /// use mainspring_xxl::Method;
    /// assert_eq!(Method::of_path("/xxl-job-admin/api/RegistryRemove"), Some(Method::RegistryRemove));
    /// assert_eq!(Method::of_path("/api/callback"), Some(Method::Callback));
    /// assert_eq!(Method::of_path("/api/v1/jobs"), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.strip_prefix("/xxl-job-admin").unwrap_or(path);
        Self::of_name(path.strip_prefix("/api/")?)
    }

    /// Reads the name of a method, in any case.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let known =
            [("registry", Self::Registry), ("registryremove", Self::RegistryRemove), ("callback", Self::Callback)];
        known.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, method)| method)
    }
}

/// What an executor says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// It is there. It says so every 10 to 30 s.
    Registry(Registration),
    /// It is shutting down.
    RegistryRemove(Registration),
    /// Runs have ended, in no particular order.
    Callback {
        /// The ends.
        items: Vec<Callback>,
        /// Items that name no run, and that nothing can be done with.
        unreadable: usize,
        /// What the shape tells of the dialect.
        evidence: Option<Evidence>,
    },
}

/// Which app an executor belongs to, and where it is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registration {
    /// Name of the app.
    pub app: String,
    /// Where it is called.
    pub address: Address,
    /// The address as it was written: routes go by its text, slash and all.
    pub written: String,
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callback {
    /// Number of the run, as `/run` gave it.
    pub log_id: i64,
    /// What the handler said.
    pub code: Code,
    /// A message for people, if any. It may be long, and may have been any JSON.
    pub message: Option<String>,
}

/// How a handler ended. Only 200 is a success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// 200.
    Success,
    /// 502: it took longer than it may.
    TimedOut,
    /// Any other number; 500 mostly. Users may set what they like.
    Failure(i64),
    /// No code, or none above 0.
    Missing,
}

impl Code {
    /// Reads a code. Zero and negative ones say nothing.
    #[must_use]
    pub const fn of(code: Option<i64>) -> Self {
        match code {
            Some(200) => Self::Success,
            Some(502) => Self::TimedOut,
            Some(code) if code > 0 => Self::Failure(code),
            _ => Self::Missing,
        }
    }
}

/// A request that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallError {
    /// The body is no JSON.
    #[error("the body is no JSON: {0}")]
    Json(String),
    /// It is JSON of another shape.
    #[error("the body must be {expected}")]
    Shape {
        /// What it should be.
        expected: &'static str,
    },
    /// A field is blank, missing or no text.
    #[error("Illegal Argument: {field} is missing or blank")]
    Blank {
        /// Which.
        field: &'static str,
    },
    /// The app has a name that no app can have.
    #[error("Illegal Argument: registryKey has {length} characters, and at most {APP_MAX} are allowed")]
    AppTooLong {
        /// How many.
        length: usize,
    },
    /// The address cannot be called.
    #[error("Illegal Argument: registryValue: {0}")]
    Address(#[from] AddressError),
}

/// Longest name of an app, in characters.
const APP_MAX: usize = 64;

impl Call {
    /// Reads the body of a request.
    ///
    /// Unknown fields are passed over, numbers may be texts, and messages any JSON.
    ///
    /// # Errors
    /// When nothing can be done with it: no JSON, another shape, a blank field of a registration.
    pub fn parse(method: Method, body: &[u8]) -> Result<Self, CallError> {
        let body: Value = serde_json::from_slice(body).map_err(|error| CallError::Json(error.to_string()))?;
        match method {
            Method::Registry => Registration::parse(&body).map(Self::Registry),
            Method::RegistryRemove => Registration::parse(&body).map(Self::RegistryRemove),
            Method::Callback => callbacks(&body),
        }
    }
}

impl Registration {
    fn parse(body: &Value) -> Result<Self, CallError> {
        let fields = body.as_object().ok_or(CallError::Shape { expected: "an object" })?;
        let read = |field: &'static str| {
            let text = fields.get(field).and_then(lenient::text).map(|text| text.trim().to_owned());
            text.filter(|text| !text.is_empty()).ok_or(CallError::Blank { field })
        };
        read("registryGroup")?;
        let app = read("registryKey")?;
        match app.chars().count() {
            length if length > APP_MAX => Err(CallError::AppTooLong { length }),
            _ => {
                let written = read("registryValue")?;
                Ok(Self { app, address: Address::parse(&written)?, written })
            }
        }
    }
}

/// Reads a list of ends: an array, or the object of 3.5 around one.
fn callbacks(body: &Value) -> Result<Call, CallError> {
    let list = body.get("callbackList");
    let is_wrapped = list.is_some();
    let expected = "an array, or an object with callbackList";
    let list = list.unwrap_or(body).as_array().ok_or(CallError::Shape { expected })?;
    let items: Vec<Callback> = list.iter().filter_map(Callback::parse).collect();
    let unreadable = list.len() - items.len();
    let has = |field: &str| list.iter().any(|item| item.get(field).is_some());
    let evidence = match (is_wrapped, has("handleCode"), has("executeResult")) {
        (true, _, _) => Some(Evidence::Is(Dialect::V3_5)),
        (false, true, _) => Some(Evidence::AtLeast(Dialect::V2_3)),
        (false, false, true) => Some(Evidence::AtMost(Dialect::V2_2)),
        (false, false, false) => None,
    };
    Ok(Call::Callback { items, unreadable, evidence })
}

impl Callback {
    /// Reads one end. Without a number of a run it is none.
    fn parse(item: &Value) -> Option<Self> {
        let log_id = lenient::integer(item.get("logId")?)?;
        let handle = item.get("handleCode").and_then(lenient::integer).filter(|code| *code > 0);
        let result = item.get("executeResult");
        let of_result = |field: &str| result.and_then(|result| result.get(field));
        let code = handle.or_else(|| of_result("code").and_then(lenient::integer));
        let message = item.get("handleMsg").filter(|value| !value.is_null()).or_else(|| of_result("msg"));
        Some(Self { log_id, code: Code::of(code), message: message.and_then(lenient::text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(body: &str) -> (Vec<Callback>, usize, Option<Evidence>) {
        match Call::parse(Method::Callback, body.as_bytes()).unwrap() {
            Call::Callback { items, unreadable, evidence } => (items, unreadable, evidence),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_shapes_of_a_result_and_both_of_a_list_are_read() {
        let cases = [
            (r#"[{"logId":1,"handleCode":200}]"#, Code::Success, None),
            (r#"[{"logId":"1","handleCode":"200","handleMsg":{"a":1}}]"#, Code::Success, Some("{\"a\":1}")),
            (r#"[{"logId":1,"executeResult":{"code":200,"msg":"m"}}]"#, Code::Success, Some("m")),
            (r#"[{"logId":1,"handleCode":0,"executeResult":{"code":500}}]"#, Code::Failure(500), None),
            (
                r#"[{"logId":1,"handleCode":502,"handleMsg":"x","executeResult":{"code":200}}]"#,
                Code::TimedOut,
                Some("x"),
            ),
            (r#"[{"logId":1,"handleCode":70000}]"#, Code::Failure(70_000), None),
            (r#"[{"logId":1,"handleCode":-1}]"#, Code::Missing, None),
            (r#"[{"logId":1}]"#, Code::Missing, None),
            (r#"{"callbackList":[{"logId":1,"logDateTime":5,"handleCode":200,"new":[]}]}"#, Code::Success, None),
        ];
        for (body, code, message) in cases {
            let expected = Callback { log_id: 1, code, message: message.map(str::to_owned) };
            assert_eq!(ends(body).0, [expected], "{body}");
        }
    }

    #[test]
    fn an_item_without_a_run_spoils_no_other() {
        let (items, unreadable, _) = ends(r#"[{"handleCode":200},7,{"logId":"x"},{"logId":9,"handleCode":200}]"#);
        assert_eq!((items.len(), items[0].log_id, unreadable), (1, 9, 3));
        assert_eq!(ends("[]"), (Vec::new(), 0, None));
    }

    #[test]
    fn a_registration_that_lacks_something_is_refused() {
        let cases = [
            ("{", "the body is no JSON: EOF while parsing an object at line 1 column 1"),
            ("[]", "the body must be an object"),
            (
                r#"{"registryGroup":"","registryKey":"a","registryValue":"http://h:1"}"#,
                "registryGroup is missing or blank",
            ),
            (
                r#"{"registryGroup":"EXECUTOR","registryKey":" ","registryValue":"http://h:1"}"#,
                "registryKey is missing or blank",
            ),
            (r#"{"registryGroup":"EXECUTOR","registryKey":"a"}"#, "registryValue is missing or blank"),
            (
                r#"{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"h:1"}"#,
                "it must begin with http:// or https://",
            ),
        ];
        for (body, problem) in cases {
            let error = Call::parse(Method::Registry, body.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(problem), "{body}: {error}");
        }
        let long =
            format!(r#"{{"registryGroup":"E","registryKey":"{}","registryValue":"http://h:1"}}"#, "x".repeat(65));
        let error = Call::parse(Method::Registry, long.as_bytes()).unwrap_err();
        assert_eq!(error, CallError::AppTooLong { length: 65 });
        let error = Call::parse(Method::Callback, b"7").unwrap_err().to_string();
        assert_eq!(error, "the body must be an array, or an object with callbackList");
    }
}
