//! Expressions and templates of workflows: `${{ … }}` in the syntax of Jinja.
//!
//! What is undefined is an error, a condition is true or false and nothing else, and work is bounded. Nothing is read but what
//! is handed in. In a text, a value is written as in JSON, and a text as it is.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde_json::Value;
use thiserror::Error;

/// Steps that an expression or template may take: enough for a filter over some thousand values.
const FUEL: u64 = 100_000;

const BEGIN: &str = "${{";
const END: &str = "}}";

/// Why an expression or template has no value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExpressionError {
    /// It is not `${{ … }}` from beginning to end.
    #[error("it must be one expression, written ${{{{ … }}}}")]
    NoExpression,
    /// It cannot be read, or names a filter, test or function that does not exist.
    #[error("{0}")]
    Unreadable(String),
    /// It cannot be evaluated with these values.
    #[error("{0}")]
    Unevaluable(String),
    /// It takes more work than is allowed.
    #[error("it takes more than {FUEL} steps")]
    TooMuchWork,
    /// The value of a condition is something else.
    #[error("its value is {0}, neither true nor false")]
    NotBoolean(String),
}

/// Returns the value of a text that is one expression.
///
/// # Errors
/// When it is something else, or cannot be evaluated.
pub fn evaluate(text: &str, values: &Value) -> Result<Value, ExpressionError> {
    serde_json::to_value(value_of(text, values)?).map_err(|error| ExpressionError::Unevaluable(error.to_string()))
}

/// Returns whether a condition holds.
///
/// # Errors
/// When it cannot be evaluated, or is neither true nor false.
///
/// ```
/// use mainspring_core::workflow::expression::{ExpressionError, condition};
/// let values = serde_json::json!({"needs": {"count": {"state": "succeeded", "outputs": {"rows": 7}}}});
/// assert_eq!(condition("${{ needs.count.outputs.rows > 5 }}", &values), Ok(true));
/// let none = condition("${{ needs.count.outputs.rows }}", &values);
/// assert_eq!(none, Err(ExpressionError::NotBoolean("7".to_owned())));
/// ```
pub fn condition(text: &str, values: &Value) -> Result<bool, ExpressionError> {
    let value = value_of(text, values)?;
    match value.kind() {
        ValueKind::Bool => Ok(value.is_true()),
        _ => Err(ExpressionError::NotBoolean(value.to_string())),
    }
}

/// Returns a text with the values of its expressions in their places: texts as they are, all else as JSON.
///
/// Decimals have the fewest digits that read back as the same number, as in `MS_PARAM_` variables. `~` joins texts and numbers;
/// what else is to be joined goes through the filter `text`, which writes it so.
///
/// # Errors
/// When one of them cannot be evaluated.
///
/// ```
/// use mainspring_core::workflow::expression::render;
/// let values = serde_json::json!({"matrix": {"shard": 3}});
/// // What belongs to the shell stays.
/// assert_eq!(render("clean ${HOME} --shard ${{ matrix.shard }}", &values)?, "clean ${HOME} --shard 3");
/// assert_eq!(render("${{ matrix }} of ${{ ['a', none] }}", &values)?, r#"{"shard":3} of ["a",null]"#);
/// assert_eq!(render("${{ 1.50 }} ${{ true }} ${{ 'v' ~ 1.5 ~ (true | text) }}", &values)?, "1.5 true v1.5true");
/// # Ok::<(), mainspring_core::workflow::expression::ExpressionError>(())
/// ```
pub fn render(text: &str, values: &Value) -> Result<String, ExpressionError> {
    if !text.contains(BEGIN) {
        return Ok(text.to_owned());
    }
    let template = LANGUAGE.template_from_str(text).map_err(of)?;
    template.render(Serde(values)).map_err(of)
}

/// Returns the names that a text with expressions asks for, with dots: `needs.count.outputs.rows`.
///
/// # Errors
/// When an expression cannot be read.
pub fn names(text: &str) -> Result<BTreeSet<String>, ExpressionError> {
    if !text.contains(BEGIN) {
        return Ok(BTreeSet::new());
    }
    let template = LANGUAGE.template_from_str(text).map_err(of)?;
    Ok(template.undeclared_variables(true).into_iter().collect())
}

/// Checks that a text is one expression.
///
/// # Errors
/// When it is something else, or cannot be read.
pub fn check_expression(text: &str) -> Result<(), ExpressionError> {
    LANGUAGE.compile_expression(inside(text)?).map(|_| ()).map_err(of)
}

fn value_of(text: &str, values: &Value) -> Result<minijinja::Value, ExpressionError> {
    let expression = LANGUAGE.compile_expression(inside(text)?).map_err(of)?;
    let value = expression.eval(Serde(values)).map_err(of)?;
    if value.is_undefined() {
        return Err(ExpressionError::Unevaluable("undefined value".to_owned()));
    }
    Ok(value)
}

fn inside(text: &str) -> Result<&str, ExpressionError> {
    let inside = text.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    inside.filter(|inside| !inside.contains(BEGIN)).ok_or(ExpressionError::NoExpression)
}

static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.variable_delimiters(BEGIN, END).block_delimiters("${%", "%}").comment_delimiters("${#", "#}");
    let syntax = syntax.build().expect("the delimiters differ");
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // As job parameters are, and so that a list or mapping can be read again.
    environment.set_formatter(|out, state, value| match json(value) {
        Some(text) => out.write_str(&text?).map_err(minijinja::Error::from),
        None => minijinja::escape_formatter(out, state, value),
    });
    environment.add_filter("text", |value: minijinja::Value| json(&value).unwrap_or_else(|| Ok(value.to_string())));
    environment.set_fuel(Some(FUEL));
    environment
});

/// Returns the JSON of what is no text.
fn json(value: &minijinja::Value) -> Option<Result<String, minijinja::Error>> {
    let not_finite = || f64::try_from(value.clone()).is_ok_and(|number| !number.is_finite());
    let text = match value.kind() {
        ValueKind::Number if not_finite() => Err(format!("{value} is no number that JSON has")),
        ValueKind::Bool
        | ValueKind::None
        | ValueKind::Number
        | ValueKind::Seq
        | ValueKind::Map
        | ValueKind::Iterable => serde_json::to_string(value).map_err(|error| error.to_string()),
        _ => return None,
    };
    Some(text.map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error)))
}

fn of(error: minijinja::Error) -> ExpressionError {
    let text = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    match error.kind() {
        ErrorKind::OutOfFuel => ExpressionError::TooMuchWork,
        ErrorKind::SyntaxError
        | ErrorKind::UnknownFilter
        | ErrorKind::UnknownFunction
        | ErrorKind::UnknownTest
        | ErrorKind::UnknownMethod => ExpressionError::Unreadable(text),
        _ => ExpressionError::Unevaluable(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_undefined_is_an_error() {
        let values = json!({"params": {"region": "eu"}});
        assert_eq!(condition("${{ params.region == 'eu' }}", &values), Ok(true));
        for text in ["${{ params.zone == 'eu' }}", "${{ nothing }}", "${{ not params.zone }}"] {
            assert!(matches!(condition(text, &values), Err(ExpressionError::Unevaluable(_))), "{text}");
        }
    }

    #[test]
    fn a_condition_is_one_expression() {
        for text in ["true", "${{ true }} and more", "${{ true }} ${{ true }}", ""] {
            assert_eq!(condition(text, &json!({})), Err(ExpressionError::NoExpression), "{text}");
        }
        assert!(matches!(check_expression("${{ 1 + }}"), Err(ExpressionError::Unreadable(_))));
    }

    #[test]
    fn a_template_that_loops_ends() {
        let text = "${% for a in range(9000) %}${% for b in range(9000) %}x${% endfor %}${% endfor %}";
        let rendered = render(&format!("{text}${{{{ 1 }}}}"), &json!({}));
        assert_eq!(rendered, Err(ExpressionError::TooMuchWork));
    }

    #[test]
    fn values_keep_their_types() {
        let values = json!({"needs": {"list": {"outputs": {"files": ["a", "b"], "count": 2}}}});
        assert_eq!(evaluate("${{ needs.list.outputs.files }}", &values), Ok(json!(["a", "b"])));
        assert_eq!(evaluate("${{ needs.list.outputs.count + 1 }}", &values), Ok(json!(3)));
    }

    #[test]
    fn values_in_a_text_are_written_as_in_json() {
        let values = json!({"params": {"rate": 1.10, "tiny": 0.00001, "huge": 1e20, "two": 2.0, "max": u64::MAX, "dry": true,
            "list": [1.5, null], "name": "a b"}});
        let cases = [
            ("${{ params.rate }} ${{ params.two }} ${{ params.tiny }}", "1.1 2.0 0.00001".to_owned()),
            ("${{ params.huge }}", json!(1e20).to_string()),
            ("${{ params.max }} ${{ params.max + 1 }}", "18446744073709551615 18446744073709551616".to_owned()),
            ("${{ 0.1 + 0.2 }} ${{ 7 / 2 }} ${{ 7 // 2 }} ${{ -0.0 }}", "0.30000000000000004 3.5 3 -0.0".to_owned()),
            ("${{ params.dry }} ${{ none }} ${{ params.list }}", "true null [1.5,null]".to_owned()),
            ("${{ 'v' ~ params.rate ~ '-' ~ params.max }}", "v1.1-18446744073709551615".to_owned()),
            ("${{ params.name ~ (params.dry | text) ~ (params.list | text) }}", "a btrue[1.5,null]".to_owned()),
            ("${{ params.name | text }} ${{ params.huge | text ~ '' }}", format!("a b {}", json!(1e20))),
        ];
        for (text, expected) in cases {
            assert_eq!(render(text, &values), Ok(expected), "{text}");
        }
        assert_eq!(condition("${{ params.rate * 2 > 2.1 and params.rate ~ '' == '1.1' }}", &values), Ok(true));
        let endless = render("${{ params.huge ** 99 }}", &values);
        assert!(matches!(endless, Err(ExpressionError::Unevaluable(_))), "{endless:?}");
    }

    #[test]
    fn the_names_of_a_text_are_those_it_asks_for() {
        let text = "a ${{ needs.list.outputs.count > 1 and params.region }} ${PLAIN} {{ not.ours }}";
        let expected = ["needs.list.outputs.count", "params.region"].map(str::to_owned);
        assert_eq!(names(text), Ok(BTreeSet::from(expected)));
        assert_eq!(names("plain"), Ok(BTreeSet::new()));
    }
}
