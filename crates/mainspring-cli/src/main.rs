//! The binary `mainspring`: commands and settings, nothing else.

fn main() {}
