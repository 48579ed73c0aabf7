//! Which names are allowed.

use crate::{ErrorCode, Problem, did_you_mean};

const LENGTH_MAX: usize = 128;
/// How many problems may be there when the nearest name is still looked for.
const HINTS_MAX: usize = 50;

/// Tells whether a text can name a namespace, job, trigger, calendar or queue.
///
/// ```
/// use mainspring_api::is_valid_name;
/// assert!(is_valid_name("etl.daily-2"));
/// assert!(!is_valid_name("etl/daily") && !is_valid_name("-x") && !is_valid_name(""));
/// ```
pub fn is_valid_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    name.len() <= LENGTH_MAX
        && name.bytes().all(fits)
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Adds a problem unless `name` is allowed.
pub(super) fn name_problem(pointer: impl Into<String>, name: &str, problems: &mut Vec<Problem>) {
    if is_valid_name(name) {
        return;
    }
    let message = match name.len() {
        0 => "a name is empty".to_owned(),
        length if length > LENGTH_MAX => {
            format!("a name has {length} characters, more than {LENGTH_MAX}")
        }
        _ => format!("name \"{name}\" is not allowed"),
    };
    let hint = "names have letters, digits, '.', '_' and '-', and begin with a letter or digit";
    problems.push(Problem::new(ErrorCode::NameInvalid, message).at(pointer).hint(hint));
}

/// Returns a hint with the known name that is nearest to one that nobody knows. Each is compared with all of them: for the first few
/// problems that is advice enough.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>, problems: &[Problem]) -> Option<String> {
    (problems.len() < HINTS_MAX).then(|| did_you_mean(name, known.map(String::as_str))).flatten()
}
