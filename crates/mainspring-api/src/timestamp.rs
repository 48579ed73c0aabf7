//! Instants on the wire: milliseconds since 1970 UTC, spelled in RFC 3339.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{KnownFormat, ObjectBuilder, RefOr, SchemaFormat, Type};

/// An instant: milliseconds since 1970 UTC, written as RFC 3339 in UTC with three decimals.
///
/// Reads any offset and any number of decimals, and cuts below the millisecond. Reaches from the
/// year -9999 to 9999; instants outside are held to the nearest end when written.
///
/// ```
/// use mainspring_api::Timestamp;
/// let at: Timestamp = "2026-01-30T13:00:00+01:00".parse()?;
/// assert_eq!(at.to_string(), "2026-01-30T12:00:00.000Z");
/// assert_eq!(at.as_millis(), 1_769_774_400_000);
/// assert!("yesterday".parse::<Timestamp>().is_err());
/// # Ok::<(), mainspring_api::TimestampError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A text that is no RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not an RFC 3339 instant such as 2026-01-30T12:00:00Z")]
pub struct TimestampError {
    text: String,
}

impl Timestamp {
    /// Makes an instant of milliseconds since 1970 UTC.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since 1970 UTC.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (jiff::Timestamp::MIN.as_second() * 1000, jiff::Timestamp::MAX.as_second() * 1000);
        let instant =
            jiff::Timestamp::from_millisecond(self.0.clamp(least, most)).expect("a clamped instant is in range");
        write!(f, "{instant:.3}")
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>()
            .map(|instant| Self(instant.as_millisecond()))
            .map_err(|_| TimestampError { text: text.chars().take(64).collect() })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl utoipa::PartialSchema for Timestamp {
    fn schema() -> RefOr<utoipa::openapi::schema::Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("RFC 3339 instant in UTC with milliseconds"))
            .into()
    }
}

impl utoipa::ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_keep_their_milliseconds_on_the_wire() {
        let cases = [
            (0, "\"1970-01-01T00:00:00.000Z\""),
            (-1, "\"1969-12-31T23:59:59.999Z\""),
            (1_769_774_400_007, "\"2026-01-30T12:00:00.007Z\""),
        ];
        for (millis, text) in cases {
            let instant = Timestamp::from_millis(millis);
            assert_eq!(serde_json::to_string(&instant).unwrap(), text);
            assert_eq!(serde_json::from_str::<Timestamp>(text).unwrap(), instant);
        }
    }

    #[test]
    fn instants_beyond_the_calendar_are_written_as_its_end() {
        assert!(Timestamp::from_millis(i64::MAX).to_string().starts_with("9999-12-30"));
        assert!(Timestamp::from_millis(i64::MIN).to_string().starts_with("-00"));
    }
}
