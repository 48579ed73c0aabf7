//! "Did you mean …?": the nearest of the names that exist.

/// Returns the candidate nearest to `word`, unless none is near enough to be a typing error.
///
/// Near means a Damerau-Levenshtein distance of at most a third of the word's length; case does not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint for [`nearest`].
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|name| format!("did you mean {name:?}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_name_and_others_do_not() {
        let names = ["nightly-export", "nightly-import", "Europe/Berlin", "ls"];
        let cases = [
            ("nightly-exprot", Some("nightly-export")),
            ("europe/berlin", Some("Europe/Berlin")),
            ("Europe/Brelin", Some("Europe/Berlin")),
            ("sl", Some("ls")),
            ("weekly", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
    }
}
