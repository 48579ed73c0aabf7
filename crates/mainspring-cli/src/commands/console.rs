//! `mainspring console`: opens the console in a browser.

use std::process::{Command, Stdio};

use clap::Args;
use mainspring_api::LoginLink;

use crate::connect::{self, ConnectArgs};
use crate::error::Result;
use crate::output::{Form, Output};

/// Open the console in a browser that is signed in
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring console
  mainspring console --print                  only print the link; it signs in one browser, once, within 10 minutes
  mainspring console --server https://jobs.example.org --token-file token --print")]
pub struct ConsoleArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Print the link and open nothing
    #[arg(long)]
    print: bool,
}

/// Asks the server for a login link, prints it, and opens it.
///
/// # Errors
/// Whatever the server reports.
pub fn run(args: &ConsoleArgs, output: &Output) -> Result {
    let session = args.connect.open()?;
    let link = connect::block_on(session.ask(session.client.login_link()))?;
    if !matches!(output.form(), Form::Table | Form::Name) {
        return output.document(&link);
    }
    output.line(&link.url)?;
    if !args.print && !open(&link) {
        output.hint("no browser could be opened here; open the link yourself, within 10 minutes");
    }
    Ok(())
}

/// Hands the link to the desktop. Tells whether somebody took it.
fn open(link: &LoginLink) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet =
        |command: &mut Command| command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet(Command::new(program).arg(&link.url)).is_ok_and(|status| status.success())
}
