//! The real binary, as users meet it: arguments in, stdout, stderr and exit code out.

mod command_line;
mod program;
