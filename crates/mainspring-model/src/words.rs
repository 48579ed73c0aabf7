//! The macro that declares a list.

/// Declares a closed list: an enum, the word of each value, and the way back from the word.
///
/// Words are what tables, job files and the API hold. With `open in MODULE` the list also gets a second form there, which reads words that it
/// does not know as `Unknown`. Callers depend on `serde`.
///
/// ```
/// mainspring_model::words!(
///     /// What a light shows.
///     #[derive(Default)]
///     Light {
///         /// Stop.
///         #[default]
///         Red = "red",
///         /// Go.
///         Green = "green",
///     }
/// );
/// assert_eq!(Light::from_word("green"), Some(Light::Green));
/// assert_eq!(Light::from_word("blue"), None);
/// assert_eq!(Light::default().to_string(), "red");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
        // For utoipa, which does not see a word that a macro was given.
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$inner])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word in tables, files and API.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the value that `word` stands for, if there is one. Its case counts.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
    ($(#[$meta:meta])* $name:ident, open in $module:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $crate::words!($(#[$meta])* $name { $($(#[$inner])* $variant = $word),+ });

        #[doc = concat!("`", stringify!($name), "` as readers of the API meet it.")]
        pub mod $module {
            $(#[$meta])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
            // For utoipa, which does not see a word that a macro was given.
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[$inner])* #[serde(rename = $word)] $variant,)+
                /// A word newer than this reader.
                #[serde(other, rename = "unknown")]
                Unknown,
            }

            impl $name {
                /// Returns the word used on the wire.
                #[must_use]
                pub const fn as_str(self) -> &'static str {
                    match self.known() {
                        Some(known) => known.as_str(),
                        None => "unknown",
                    }
                }

                /// Returns the value of the closed list, unless its word is newer than this reader.
                #[must_use]
                pub const fn known(self) -> Option<super::$name> {
                    match self {
                        $(Self::$variant => Some(super::$name::$variant),)+
                        Self::Unknown => None,
                    }
                }
            }

            impl From<super::$name> for $name {
                fn from(known: super::$name) -> Self {
                    match known { $(super::$name::$variant => Self::$variant),+ }
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.pad(self.as_str())
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{AfterOn, Overlap, RunState, Strategy, TaskState, open};

    #[test]
    fn words_and_values_match_both_ways() {
        for &state in RunState::ALL {
            assert_eq!(RunState::from_word(state.as_str()), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str(), "one word in tables and on the wire");
        }
        for &strategy in Strategy::ALL {
            assert_eq!(Strategy::from_word(strategy.as_str()), Some(strategy));
        }
        assert_eq!(RunState::from_word("ready"), None);
        assert_eq!(RunState::from_word("Queued"), None);
        assert!(serde_json::from_str::<Overlap>("\"never\"").is_err(), "closed lists refuse other words");
    }

    #[test]
    fn open_lists_read_newer_words_and_write_those_of_the_closed_list() {
        for &state in TaskState::ALL {
            let open = open::TaskState::from(state);
            assert_eq!(open.known(), Some(state));
            assert_eq!(serde_json::to_value(open).unwrap(), serde_json::to_value(state).unwrap());
        }
        let newer: open::RunState = serde_json::from_str("\"paused_by_the_moon\"").unwrap();
        assert_eq!((newer, newer.known(), newer.as_str()), (open::RunState::Unknown, None, "unknown"));
    }

    #[test]
    fn ends_that_count_are_those_of_their_name() {
        let counted = |on: AfterOn| RunState::ALL.iter().filter(|state| on.counts(**state)).count();
        assert_eq!(AfterOn::ALL.iter().map(|on| counted(*on)).collect::<Vec<_>>(), [1, 1, 1, 1, 4]);
    }
}
