//! The one switch between the repaired rules and Quartz's own.

/// Which rules decide the points at which Quartz surprises.
///
/// ```
/// use mainspring_schedule::Semantics;
/// assert_eq!(Semantics::default(), Semantics::Standard);
/// assert_eq!("quartz".parse(), Ok(Semantics::Quartz));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Semantics {
    /// Quartz's grammar as its manual states it, with a closed list of repairs.
    #[default]
    Standard,
    /// Quartz 2.5.2 to the bit, oddities included; where Quartz never returns, "never".
    Quartz,
}

impl Semantics {
    /// The name in files and in the API: `standard` or `quartz`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Quartz => "quartz",
        }
    }
}

impl std::fmt::Display for Semantics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no semantics.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown semantics; expected `standard` or `quartz`")]
pub struct UnknownSemantics;

impl std::str::FromStr for Semantics {
    type Err = UnknownSemantics;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "standard" => Ok(Self::Standard),
            "quartz" => Ok(Self::Quartz),
            _ => Err(UnknownSemantics),
        }
    }
}
