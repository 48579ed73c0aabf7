//! Development tasks: `cargo run -p xtask -- TASK`.

fn main() {}
