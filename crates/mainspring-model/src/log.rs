//! Words of logs.

use crate::words;

words!(
    /// Where a log line was written.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    #[cfg_attr(feature = "schema", schemars(rename = "LogStream"), schema(as = LogStream))]
    Stream, open in open_stream {
        /// Standard output, or the body of an HTTP response.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
        /// By mainspring itself.
        System = "system",
    }
);
