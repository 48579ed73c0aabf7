//! What we answer to executors. Each answer has HTTP status 200; the code in the body says what came of the request.

/// The content type of every answer. With another one, pyxxl takes a success for a failure.
pub const CONTENT_TYPE: &str = "application/json;charset=UTF-8";

/// Returns the body that says success, in the form that every dialect reads.
///
/// The code is a JSON integer. `msg`, `content` and `data` are null or text: an object in one of them makes some client
/// take the answer for a failure.
///
/// ```
/// assert_eq!(mainspring_xxl::answer(), r#"{"code":200,"msg":null,"content":null,"data":null}"#);
/// ```
#[must_use]
pub fn answer() -> String {
    r#"{"code":200,"msg":null,"content":null,"data":null}"#.to_owned()
}

/// Returns the body that refuses a request, with a text for people.
///
/// Never for a callback whose token is right: executors repeat one that was refused, and some then report a failure of a run that
/// has succeeded.
///
/// ```
/// assert_eq!(mainspring_xxl::refusal("no \"a\""), r#"{"code":500,"msg":"no \"a\"","content":null,"data":null}"#);
/// ```
#[must_use]
pub fn refusal(message: &str) -> String {
    format!(r#"{{"code":500,"msg":{},"content":null,"data":null}}"#, serde_json::Value::from(message))
}
