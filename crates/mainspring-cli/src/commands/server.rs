//! `mainspring server`: one process with store, engine, workers and HTTP.

use std::path::{Path, PathBuf};

use clap::Args;
use tempfile::TempDir;

use crate::discovery;
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::node::{self, NodeArgs, Place, TokenArgs};
use crate::output::Output;

/// Run a server: store, engine, workers and HTTP in one process
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring server                                  data in ~/.local/share/mainspring
  mainspring server --data /var/lib/mainspring --listen 0.0.0.0:7070
  mainspring server --store sqlite:/srv/jobs.db      token and working folders in /srv/jobs.db.data
  mainspring server --store postgres://USER:PASSWORD@HOST/DB --node-name a    a node of a cluster
  mainspring server --allow-outbound 127.0.0.1:7070 --allow-outbound 10.0.0.0/8

TERM or Ctrl-C drains: nothing new starts, runs finish within --grace, the exit code is 0. A second signal
ends the process at once (exit 1, after Ctrl-C 130); runs that it cut off are `lost` at the next start.")]
pub struct ServerArgs {
    /// Folder of the store, the access token and working folders; made when missing
    #[arg(long, env = "MAINSPRING_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where jobs and runs are kept: sqlite:PATH, memory: for nothing that outlives the process, or
    /// postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE, which any number of nodes may share
    #[arg(long, env = "MAINSPRING_STORE", hide_env_values = true, value_name = "URL")]
    store: Option<String>,
    #[command(flatten)]
    token: TokenArgs,
    #[command(flatten)]
    node: NodeArgs,
}

/// Runs until a signal ends it.
///
/// # Errors
/// When the store cannot be used, the address is taken, or a setting is wrong; nothing runs then.
pub fn run(args: &ServerArgs, output: &Output) -> Result {
    args.node.log.start()?;
    let (data, _held) = args.data()?;
    let place = Place { data, store: args.store.clone(), token: args.token.clone() };
    if args.store.as_deref() == Some("memory:") {
        output.note("warning: the store is in memory: jobs, runs and history end with this process");
    }
    node::block_on(async {
        let node = node::start(&args.node, &place).await?;
        node.welcome(output)?;
        node.run(args.node.grace, output).await
    })
}

impl ServerArgs {
    /// The folder for what is not in the store, and what removes it at the end if it is for this process alone.
    fn data(&self) -> Result<(PathBuf, Option<TempDir>)> {
        let home = || discovery::default_data().ok_or_else(no_home);
        let scheme = self.store.as_deref().and_then(|url| url.split_once(':'));
        Ok(match (&self.data, scheme) {
            (Some(data), _) => (data.clone(), None),
            (None, None) => (home()?, None),
            (None, Some(("sqlite", path))) => (beside(path), None),
            (None, Some(("memory", _))) => {
                let folder = node::temporary(&tempfile::Builder::new())?;
                (folder.path().to_owned(), Some(folder))
            }
            // Several nodes may run on one machine; the token must outlive them.
            (None, Some(_)) => (home()?.join("nodes").join(self.node.name()), None),
        })
    }
}

/// The folder for what is not in the file of a store that was named without a data folder.
fn beside(path: &str) -> PathBuf {
    let path = Path::new(path);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".data");
    path.with_file_name(name)
}

fn no_home() -> Error {
    let report = Report::new("cli.data", "this user has no home folder to keep data in").hint("say --data DIR");
    Error::new(Exit::Usage, report)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        server: ServerArgs,
    }

    /// The token is kept there: the next start needs it.
    #[test]
    fn data_beside_a_database_of_others_outlives_the_process() {
        for scheme in ["postgres", "postgresql", "mysql", "mariadb"] {
            let store = format!("{scheme}://me@127.0.0.1/jobs");
            let Line { server } = Line::parse_from(["server", "--store", &store, "--node-name", "a"]);
            let (data, held) = server.data().unwrap();
            assert!(held.is_none() && data.ends_with("nodes/a"), "{scheme}: {}", data.display());
        }
    }
}
