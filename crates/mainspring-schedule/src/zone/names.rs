//! Names that no zone has, and the nearest that one has.

use super::{UnknownZone, Zone};

#[cold]
pub(super) fn unknown(name: &str) -> UnknownZone {
    let name: String = name.chars().take(64).collect();
    UnknownZone { suggestion: nearest(&name), name }
}

/// The nearest name: by the whole name, or by the city alone when no region is given.
fn nearest(name: &str) -> Option<String> {
    let wanted = name.to_ascii_lowercase().replace([' ', '-'], "_");
    // The tz database names a zone after its most populous city at the time, which is not the capital here.
    if wanted.ends_with("beijing") {
        return Some("Asia/Shanghai".to_owned());
    }
    let distance = |candidate: &str| {
        let candidate = candidate.to_ascii_lowercase();
        let city = candidate.rsplit('/').next().unwrap_or(&candidate);
        let whole = strsim::damerau_levenshtein(&wanted, &candidate);
        if wanted.contains('/') { whole } else { whole.min(strsim::damerau_levenshtein(&wanted, city)) }
    };
    let best = Zone::names().map(|candidate| (distance(candidate), candidate)).min()?;
    (best.0 * 3 <= wanted.len()).then(|| best.1.to_owned())
}
