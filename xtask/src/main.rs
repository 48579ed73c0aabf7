//! Development tasks: `cargo run -p xtask -- TASK`.

mod databases;
mod peers;
mod tidy;
mod torture;
mod vectors;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Returns what there is to do. What torture takes, it says itself.
fn usage() -> String {
    let torture = mainspring_torture::USAGE;
    format!(
        "usage: cargo run -p xtask -- TASK

tasks:
  bench-peers [TRIGGERS [SECONDS]]
                measure the floor of plain SQL, Quartz and mainspring on one durable PostgreSQL
  db KIND [--durable]
                start a throw-away server (postgres, mariadb or mysql), print its address, and keep it until Ctrl-C or TERM; with
                --durable, its commits reach the disk
  with-databases COMMAND...
                run a command with servers of its own, whose addresses are in MAINSPRING_TEST_POSTGRES and
                MAINSPRING_TEST_MYSQL
  tidy          check crate borders, purity, licences, file sizes, paths and links
  torture {torture}
                break nodes and their database for so long, and account for everything; writes target/torture
  vectors DIR   replay the answers of Quartz, or the exchanges of XXL-JOB's executors, in DIR, and show where ours differ"
    )
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        // First: what a command is to be told is not for this.
        ["with-databases", ref command @ ..] => databases::with(command),
        ["help"] | [.., "--help" | "-h"] => {
            writeln!(std::io::stdout(), "{}", usage())?;
            Ok(ExitCode::SUCCESS)
        }
        ["bench-peers", ref sizes @ ..] => peers::run(&root(), sizes),
        ["db", kind] => databases::keep(kind, false),
        ["db", kind, "--durable"] => databases::keep(kind, true),
        ["torture", ref options @ ..] => torture::run(&root(), options),
        ["tidy"] => tidy::run(&root()),
        ["vectors", dir] => vectors::run(Path::new(dir)),
        _ => anyhow::bail!("{}", usage()),
    }
}

/// Returns the root of the checkout, the folder above this crate.
fn root() -> std::path::PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies one level below the root").to_owned()
}
