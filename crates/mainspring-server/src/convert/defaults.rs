//! Fields that a file leaves out because their defaults hold.

/// A policy, unless it is what holds where nothing is said.
pub(super) fn unless_default<T: Default + PartialEq>(policy: T) -> Option<T> {
    Some(policy).filter(|policy| !mainspring_model::is_default(policy))
}
