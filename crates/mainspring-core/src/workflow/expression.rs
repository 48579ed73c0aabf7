//! Expressions and templates of workflows: `${{ … }}` in the syntax of Jinja.
//!
//! What is undefined is an error, a condition is true or false and nothing else, and work is bounded. Nothing is read but what
//! is handed in.

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

/// Returns a text with the values of its expressions in their places; lists and mappings as JSON.
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
    // Whoever is given a list or mapping as text can read JSON.
    environment.set_formatter(|out, state, value| match value.kind() {
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => {
            let text = serde_json::to_string(value)
                .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))?;
            out.write_str(&text).map_err(minijinja::Error::from)
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.set_fuel(Some(FUEL));
    environment
});

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
    fn the_names_of_a_text_are_those_it_asks_for() {
        let text = "a ${{ needs.list.outputs.count > 1 and params.region }} ${PLAIN} {{ not.ours }}";
        let expected = ["needs.list.outputs.count", "params.region"].map(str::to_owned);
        assert_eq!(names(text), Ok(BTreeSet::from(expected)));
        assert_eq!(names("plain"), Ok(BTreeSet::new()));
    }
}
