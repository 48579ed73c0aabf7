//! Development tasks: `cargo run -p xtask -- TASK`.

mod vectors;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- TASK

tasks:
  vectors DIR   replay the answers of Quartz in DIR, and show where ours differ";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["vectors", dir] => vectors::run(Path::new(dir)),
        _ => anyhow::bail!("{USAGE}"),
    }
}
