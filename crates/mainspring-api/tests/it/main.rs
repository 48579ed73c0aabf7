//! Integration tests of what crosses the wire.

mod documents;
