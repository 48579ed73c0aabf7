//! The leash as a program of its own, for programs that embed the scheduler and have no subcommand
//! for it. See `mainspring_tasks::leash`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mainspring_tasks::leash::main(std::env::args_os().skip(1))
}
