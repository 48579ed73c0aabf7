//! Embeddable job scheduler: builder, prelude, re-exports
