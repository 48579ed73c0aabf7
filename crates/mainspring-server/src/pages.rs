//! Lists in pages: limits, and cursors that name the last item shown.

use mainspring_api::{ErrorCode, Page, is_valid_name};

use crate::refusal::{Answer, Refusal};

const LIMIT: u32 = 100;
const LIMIT_MAX: u32 = 1_000;

/// Checks the `limit` of a query.
pub(crate) fn limit(asked: Option<u32>) -> Answer<usize> {
    bounded("limit", asked, LIMIT, LIMIT_MAX)
}

/// Checks a number of items.
pub(crate) fn bounded(name: &str, asked: Option<u32>, usual: u32, most: u32) -> Answer<usize> {
    match asked.unwrap_or(usual) {
        number if (1..=most).contains(&number) => Ok(number as usize),
        number => {
            let detail = format!("query parameter \"{name}\" takes 1 to {most}, not {number}");
            Err(Refusal::new(ErrorCode::RequestQuery, detail))
        }
    }
}

/// Makes a page of items that were read with one more than `limit`, so that the end shows.
pub(crate) fn page<T>(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Page<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = if more { items.last().map(cursor) } else { None };
    Page { items, next_cursor }
}

/// Makes a cursor of the names of an item. It says of which list, so that no name alone passes for one.
pub(crate) fn cursor(list: &str, names: &[&str]) -> String {
    format!("{list}/{}", names.join("/"))
}

/// Reads a cursor of a list whose items have `PARTS` names.
pub(crate) fn names<const PARTS: usize>(list: &str, cursor: Option<&str>) -> Answer<Option<[String; PARTS]>> {
    let Some(cursor) = cursor else { return Ok(None) };
    let rest = cursor.strip_prefix(list).and_then(|rest| rest.strip_prefix('/'));
    let names: Vec<String> = rest.into_iter().flat_map(|rest| rest.split('/')).map(str::to_owned).collect();
    match <[String; PARTS]>::try_from(names) {
        Ok(names) if names.iter().all(|name| is_valid_name(name)) => Ok(Some(names)),
        _ => Err(bad_cursor(cursor)),
    }
}

pub(crate) fn bad_cursor(cursor: &str) -> Refusal {
    let shown: String = cursor.chars().take(64).collect();
    Refusal::new(ErrorCode::RequestCursor, format!("\"{}\" is no cursor of this list", shown.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_bounds() {
        for (asked, expected) in
            [(None, Some(100)), (Some(1), Some(1)), (Some(1_000), Some(1_000)), (Some(0), None), (Some(1_001), None)]
        {
            assert_eq!(limit(asked).ok(), expected, "{asked:?}");
        }
    }

    #[test]
    fn a_page_has_a_cursor_if_there_is_more() {
        let full = page(vec![1, 2, 3], 2, i32::to_string);
        assert_eq!((full.items, full.next_cursor.as_deref()), (vec![1, 2], Some("2")));
        let last = page(vec![1, 2], 2, i32::to_string);
        assert_eq!((last.items, last.next_cursor), (vec![1, 2], None));
    }

    #[test]
    fn cursors_are_names_and_nothing_else() {
        let made = cursor("triggers", &["a", "b"]);
        assert_eq!(names::<2>("triggers", Some(&made)).unwrap().unwrap(), ["a", "b"]);
        assert_eq!(names::<1>("jobs", None).unwrap(), None);
        for bad in ["", "zzz", "a/b", "jobs/a/b", "triggers/a", "triggers/a/b/c", "triggers/a/", "triggers/../x"] {
            assert_eq!(names::<2>("triggers", Some(bad)).unwrap_err().code(), Some(ErrorCode::RequestCursor), "{bad}");
        }
    }
}
