//! Names that no zone has, and the nearest that one has.

use super::{UnknownZone, Zone};

#[cold]
pub(super) fn unknown(name: &str) -> UnknownZone {
    let name: String = name.chars().take(64).collect();
    let candidates = candidates(&name);
    let suggestion = if candidates.is_empty() { nearest(&name) } else { None };
    UnknownZone { suggestion, candidates, name }
}

/// Abbreviations that clocks show and that are no names of zones, and large zones that use them (tz database, 2025).
const ABBREVIATIONS: [(&str, &[&str]); 30] = [
    ("ACST", &["Australia/Adelaide", "Australia/Darwin"]),
    ("AEDT", &["Australia/Sydney"]),
    ("AEST", &["Australia/Brisbane", "Australia/Sydney"]),
    ("AKST", &["America/Anchorage"]),
    ("AST", &["America/Halifax", "America/Puerto_Rico", "Asia/Riyadh"]),
    ("AWST", &["Australia/Perth"]),
    ("BST", &["Europe/London", "Asia/Dhaka"]),
    ("CAT", &["Africa/Maputo"]),
    ("CDT", &["America/Chicago", "America/Havana"]),
    ("CEST", &["Europe/Berlin", "Europe/Paris"]),
    ("CST", &["America/Chicago", "America/Havana", "Asia/Shanghai", "Asia/Taipei"]),
    ("EAT", &["Africa/Nairobi"]),
    ("EDT", &["America/New_York"]),
    ("EEST", &["Europe/Athens", "Europe/Kyiv"]),
    ("HKT", &["Asia/Hong_Kong"]),
    ("IDT", &["Asia/Jerusalem"]),
    ("IST", &["Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin"]),
    ("JST", &["Asia/Tokyo"]),
    ("KST", &["Asia/Seoul"]),
    ("MDT", &["America/Denver"]),
    ("MSK", &["Europe/Moscow"]),
    ("NZDT", &["Pacific/Auckland"]),
    ("NZST", &["Pacific/Auckland"]),
    ("PDT", &["America/Los_Angeles"]),
    ("PKT", &["Asia/Karachi"]),
    ("PST", &["America/Los_Angeles", "Asia/Manila"]),
    ("SAST", &["Africa/Johannesburg"]),
    ("SGT", &["Asia/Singapore"]),
    ("SST", &["Pacific/Pago_Pago"]),
    ("WIB", &["Asia/Jakarta"]),
];

fn candidates(name: &str) -> &'static [&'static str] {
    let known = ABBREVIATIONS.iter().find(|(abbreviation, _)| abbreviation.eq_ignore_ascii_case(name));
    known.map_or(&[], |(_, zones)| zones)
}

/// Returns advice to append to an unknown name.
pub(super) fn advice(suggestion: Option<&str>, candidates: &[&str]) -> String {
    match (suggestion, candidates) {
        (Some(name), _) => format!("; did you mean `{name}`?"),
        (None, []) => String::new(),
        (None, zones) => {
            let zones: Vec<_> = zones.iter().map(|zone| format!("`{zone}`")).collect();
            format!("; clocks show it in {}: name the zone", zones.join(", "))
        }
    }
}

#[cfg(test)]
pub(super) fn every_candidate() -> impl Iterator<Item = &'static str> {
    ABBREVIATIONS.iter().flat_map(|(_, zones)| zones.iter().copied())
}

/// Returns the nearest name: by the whole name, or by the city alone when no region is given.
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
