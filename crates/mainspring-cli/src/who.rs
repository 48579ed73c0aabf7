//! Who sits before the command line, as far as it can be told: for notes that people read.

use mainspring_api::Reason;

use crate::node::host_name;

/// A reason with who asks.
pub fn because(reason: Option<String>) -> Reason {
    let user =
        ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()));
    // Longer names are refused, and a pause is worth more than who asked for it.
    let by = user.map(|user| format!("{user}@{}", host_name())).filter(|by| by.chars().count() <= 128);
    Reason { reason, by }
}
