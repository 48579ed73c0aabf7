//! Development tasks: `cargo run -p xtask -- TASK`.

mod affected;
mod databases;
mod peers;
mod proof;
mod suite;
mod tidy;
mod torture;
mod vectors;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

/// Returns what there is to do. What torture takes, it says itself.
fn usage() -> String {
    let torture = mainspring_torture::USAGE;
    format!(
        "usage: cargo run -p xtask -- TASK

tasks:
  affected [BASE]
                name the parts of `make proof` that the change since BASE (main) asks for
  bench-peers [TRIGGERS [SECONDS]]
                measure the floor of plain SQL, Quartz and mainspring on one durable PostgreSQL
  db KIND [--durable]
                start a throw-away server (postgres, mariadb or mysql), print its address, and keep it until Ctrl-C or TERM; with
                --durable, its commits reach the disk
  with-databases COMMAND...
                run a command with servers of its own, whose addresses are in MAINSPRING_TEST_POSTGRES and
                MAINSPRING_TEST_MYSQL
  proof [PART...]
                run what `make test` leaves out, and write target/proof/report.md; `make proof` builds what it needs first
  test [--part NAME] [WORD...]
                build all tests once, start servers for them, and run those of `make test` whose names contain the words, each in
                a process of its own; or those of a part of `make proof`
  tidy          check crate borders, purity, licences, file sizes, paths and links
  torture {torture}
                break nodes and their database for so long, and account for everything; writes target/torture
  vectors DIR   replay the answers of Quartz or Airflow, or the exchanges of XXL-JOB's executors, in DIR, and show where ours
                differ"
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
        ["affected"] => affected::run(&root(), None),
        ["affected", base] => affected::run(&root(), Some(base)),
        ["bench-peers", ref sizes @ ..] => peers::run(&root(), sizes),
        ["db", kind] => databases::keep(kind, false),
        ["db", kind, "--durable"] => databases::keep(kind, true),
        ["torture", ref options @ ..] => torture::run(&root(), options),
        ["proof", ref parts @ ..] => proof::run(&root(), parts),
        ["test", ref selection @ ..] => with_servers("test-here", selection),
        // The same with the servers that the environment names.
        ["test-here", ref selection @ ..] => suite::run(&root(), selection),
        ["tidy"] => tidy::run(&root()),
        ["vectors", dir] => vectors::run(Path::new(dir)),
        _ => anyhow::bail!("{}", usage()),
    }
}

/// Runs another task with database servers of its own.
fn with_servers(task: &str, arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe()?;
    let program = program.to_str().context("the path of this program is text")?;
    databases::with(&[&[program, task], arguments].concat())
}

/// Returns the root of the checkout, the folder above this crate.
fn root() -> std::path::PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies one level below the root").to_owned()
}
