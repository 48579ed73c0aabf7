//! `mainspring completion SHELL`.

use clap::Args;
use clap_complete::Shell;

use crate::error::Result;
use crate::output::Output;

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  source <(mainspring completion bash)                                       this shell
  mainspring completion bash > ~/.local/share/bash-completion/completions/mainspring
  mainspring completion zsh > \"${fpath[1]}/_mainspring\"
  mainspring completion fish > ~/.config/fish/completions/mainspring.fish")]
pub struct CompletionArgs {
    /// The shell
    shell: Shell,
}

/// Prints the script, made from the same definitions as the help.
pub fn run(args: &CompletionArgs, output: &Output) -> Result {
    let mut script = Vec::new();
    let mut command = crate::cli::command();
    clap_complete::generate(args.shell, &mut command, "mainspring", &mut script);
    output.text(String::from_utf8_lossy(&script))
}
