//! Reaching a server: its address, its token, and what its errors mean for the exit code.
//!
//! The address is that of `--server` or `MAINSPRING_SERVER`, else of the one server that this user
//! runs on this machine, or of the one whose data folder is `--data` or `MAINSPRING_DATA`. The token is in `--token-file` or `MAINSPRING_TOKEN_FILE`, else in the file
//! that the server on this machine names.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mainspring_api::client::{Client, ClientError};
use mainspring_api::{JobFiles, ProblemDetails};

use crate::discovery::{self, Registration};
use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::{files, time_value};

/// How this program names itself to servers, which tell the command line from other programs by it.
pub(crate) const PROGRAM: &str = concat!("mainspring/", env!("CARGO_PKG_VERSION"));

/// Which server, as whom, in which namespace.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub struct ConnectArgs {
    /// Address of the server; found by itself for a server of this user on this machine
    #[arg(long, global = true, env = "MAINSPRING_SERVER", value_name = "URL")]
    server: Option<String>,
    /// File with the access token; found by itself for a server of this user on this machine
    #[arg(long, global = true, env = "MAINSPRING_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Data folder of a server on this machine, to find its address and token
    #[arg(long, global = true, env = "MAINSPRING_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Namespace of names that say none
    #[arg(short, long, global = true, env = "MAINSPRING_NAMESPACE", default_value = "default", value_name = "NAME")]
    namespace: String,
    /// Time that one request may take
    #[arg(long, global = true, default_value = "30s", value_name = "DURATION", value_parser = time_value::duration)]
    timeout: Duration,
    /// Send the token unencrypted to another machine; anyone on the way can read it
    #[arg(long, global = true)]
    allow_plain_http: bool,
}

/// A server that can be asked.
pub struct Session {
    /// The client.
    pub client: Client,
    /// Namespace of names that say none.
    pub namespace: String,
    /// Who said that this is the server.
    origin: Origin,
}

/// Who said which server is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// An option or variable, by its name.
    Said(&'static str),
    /// The server registered itself on this machine; its data folder.
    Found(Option<PathBuf>),
}

/// An address and the token for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Base of the API.
    pub url: String,
    /// The file that holds the token.
    pub token_file: PathBuf,
    /// Who said so.
    pub origin: Origin,
}

impl ConnectArgs {
    /// Finds server and token, and makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// `server.none`, `server.several`, `token.none` and `token.unreadable`, each with what to do.
    pub fn open(&self) -> Result<Session> {
        let endpoint = self.endpoint()?;
        let token = read_token(&endpoint.token_file)?;
        let mut client = Client::builder(endpoint.url).program(PROGRAM).token(token).timeout(self.timeout);
        if self.allow_plain_http {
            client = client.allow_plain_http();
        }
        if let Some(by) = crate::who::because(None).by {
            client = client.by(by);
        }
        let client = client.build().map_err(refused)?;
        Ok(Session { client, namespace: self.namespace.clone(), origin: endpoint.origin })
    }

    /// Finds the address and the token file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn endpoint(&self) -> Result<Endpoint> {
        let mut known = discovery::folder().map_or_else(Vec::new, |it| discovery::registrations(&it));
        if let (Some(data), None) = (&self.data, &self.server) {
            let found = discovery::presence(data)
                .map_err(|error| Error::file("find a server in", data, &error))
                .map_err(|error| error.hint("is it running there? say --server URL --token-file FILE"))?;
            known = vec![found];
        }
        choose(self.server.as_deref(), self.token_file.as_deref(), known)
    }
}

impl Session {
    /// Awaits an answer of the server, and turns its error into ours.
    ///
    /// # Errors
    /// With the exit code that belongs to the error.
    pub async fn ask<T>(&self, request: impl Future<Output = Result<T, ClientError>>) -> Result<T> {
        request.await.map_err(|error| self.refused(error))
    }

    fn refused(&self, error: ClientError) -> Error {
        match error {
            ClientError::Unreachable { .. } => self.origin.unreachable(&error),
            error => refused(error),
        }
    }

    /// As [`Self::ask`], for a request about job files: errors name the file and line.
    ///
    /// # Errors
    /// With the exit code that belongs to the error.
    pub async fn ask_about<T>(
        &self,
        files: &JobFiles,
        request: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T> {
        let answer = request.await;
        answer.map_err(|error| self.refused(located(error, files)))
    }
}

impl Origin {
    /// Says that a server does not answer, why it was asked, and what to look at.
    fn unreachable(&self, error: &ClientError) -> Error {
        let report = Report::new("server.unreachable", error.to_string());
        let report = match self {
            Self::Said(name) => report.hint(format!("this address is from {name}; no other server was tried")),
            Self::Found(Some(data)) => {
                report.hint(format!("if it is not running: mainspring server --data {}", data.display()))
            }
            Self::Found(None) => report,
        };
        Error::new(Exit::Unreachable, report.hint("is it running? see: mainspring doctor"))
    }
}

/// Adds to what the server says is wrong with a bundle where that was written.
fn located(error: ClientError, files: &JobFiles) -> ClientError {
    match error {
        ClientError::Refused(mut problem) => {
            problem.errors = files::located(files, std::mem::take(&mut problem.errors));
            ClientError::Refused(problem)
        }
        other => other,
    }
}

/// Runs a future to its end, or to Ctrl-C (exit 130).
///
/// # Errors
/// Whatever the future reports.
pub fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message = format!("cannot start the runtime: {error}");
        Error::new(Exit::Failure, Report::new("cli.runtime", message))
    })?;
    runtime.block_on(async {
        tokio::select! {
            result = future => result,
            _ = tokio::signal::ctrl_c() => Err(Error::silent(Exit::Interrupted)),
        }
    })
}

/// Finds the address and the token file of a server, as they were said or by those that run here.
///
/// # Errors
/// As [`ConnectArgs::open`].
pub fn endpoint_of(server: Option<&str>, token_file: Option<&Path>) -> Result<Endpoint> {
    let known = discovery::folder().map_or_else(Vec::new, |it| discovery::registrations(&it));
    choose(server, token_file, known)
}

/// Picks address and token file from what was said and which servers are registered here.
fn choose(server: Option<&str>, token_file: Option<&Path>, known: Vec<Registration>) -> Result<Endpoint> {
    if let Some(url) = server.filter(|url| !url.starts_with("http://") && !url.starts_with("https://")) {
        return Err(Error::usage(format!("{url:?} is no address of a server")).hint("say --server http://HOST:PORT"));
    }
    let registration = match server {
        Some(url) => known.into_iter().find(|it| it.url() == url.trim_end_matches('/')),
        None => Some(the_only_one(known)?),
    };
    let url = match (server, &registration) {
        (Some(url), _) => url.trim_end_matches('/').to_owned(),
        (None, Some(registration)) => registration.url(),
        (None, None) => return Err(no_server()),
    };
    let origin = match (server, &registration) {
        (None, Some(registration)) => Origin::Found(registration.data.clone()),
        _ if std::env::var("MAINSPRING_SERVER")
            .is_ok_and(|it| it.split(',').any(|it| it.trim_end_matches('/') == url)) =>
        {
            Origin::Said("MAINSPRING_SERVER")
        }
        _ => Origin::Said("--server"),
    };
    let token_file =
        token_file.map(Path::to_owned).or_else(|| registration.map(|registration| registration.token_file));
    match token_file {
        Some(token_file) => Ok(Endpoint { url, token_file, origin }),
        None => {
            let report = Report::new("token.none", format!("no token for {url}"))
                .hint("say --token-file FILE or set MAINSPRING_TOKEN_FILE")
                .hint("the server wrote the file `token` into its data folder");
            Err(Error::new(Exit::Denied, report))
        }
    }
}

fn the_only_one(known: Vec<Registration>) -> Result<Registration> {
    let (mut alive, gone): (Vec<Registration>, Vec<_>) = known.into_iter().partition(Registration::answers);
    match alive.len() {
        0 if !gone.is_empty() => Err(no_answer(&gone)),
        0 => Err(no_server()),
        1 => Ok(alive.remove(0)),
        _ => {
            let urls: Vec<String> = alive.iter().map(Registration::url).collect();
            let message = format!("several servers run here: {}", urls.join(", "));
            Err(Error::new(
                Exit::Usage,
                Report::new("server.several", message)
                    .hint(format!("say --server {}", urls[0]))
                    .hint("or set MAINSPRING_SERVER"),
            ))
        }
    }
}

/// Says which servers of this machine were tried.
fn no_answer(tried: &[Registration]) -> Error {
    let urls: Vec<_> = tried.iter().map(Registration::url).collect();
    let mut report = Report::new("server.none", format!("no server answers; tried {}", urls.join(", ")));
    for data in tried.iter().filter_map(|it| it.data.as_ref()) {
        report = report.hint(format!("start it again: mainspring server --data {}", data.display()));
    }
    Error::new(Exit::Unreachable, report.hint("or name another: --server URL --token-file FILE"))
}

fn no_server() -> Error {
    let report = Report::new("server.none", "no server of yours runs on this machine")
        .hint("start one: mainspring dev")
        .hint("or name one: --server URL --token-file FILE");
    Error::new(Exit::Unreachable, report)
}

/// Reads the token of a file.
///
/// # Errors
/// `token.unreadable` and `token.empty`.
pub fn read_token(file: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let message = format!("cannot read the token file {}: {error}", file.display());
        let report = Report::new("token.unreadable", message);
        Error::new(Exit::Denied, report.hint("it is readable by the user of the server alone"))
    })?;
    warn_of_others(file);
    match text.trim() {
        "" => {
            let message = format!("the token file {} is empty", file.display());
            Err(Error::new(Exit::Denied, Report::new("token.empty", message)))
        }
        token => Ok(token.to_owned()),
    }
}

/// Warns of a file with a secret that others than its owner may read or write.
pub fn warn_of_others(file: &Path) {
    if let Some(mode) = mainspring_server::open_to_others(file) {
        let shown = file.display();
        let text =
            format_args!("others may read {shown}, which holds a secret (mode {mode:o})\n  hint: chmod 600 {shown}");
        crate::notes::warning("secret.readable", text);
    }
}

/// Turns an error of the client into ours.
pub fn refused(error: ClientError) -> Error {
    match error {
        ClientError::Refused(problem) => from_problem(*problem),
        ClientError::Settings { .. } => Error::new(
            Exit::Usage,
            Report::new("cli.settings", error.to_string())
                .hint("check --server and --token-file; plain http to another machine wants --allow-plain-http"),
        ),
        ClientError::Unreachable { .. } => Error::new(
            Exit::Unreachable,
            Report::new("server.unreachable", error.to_string()).hint("is it running? see: mainspring doctor"),
        ),
        _ => Error::new(
            Exit::Failure,
            Report::new("server.not_understood", error.to_string())
                .hint("is it a mainspring server? see: mainspring doctor"),
        ),
    }
}

fn from_problem(problem: ProblemDetails) -> Error {
    let exit = exit_of(problem.status);
    let mut reports: Vec<Report> = problem.errors.into_iter().map(Report::from).collect();
    if reports.is_empty() {
        let mut report = Report::new(problem.code, problem.detail);
        report.hints.extend(problem.hint);
        if let (true, Some(id)) = (problem.status >= 500, problem.request_id) {
            report.hints.push(format!("request id {id}"));
        }
        reports.push(report);
    }
    Error { exit, reports, omitted: problem.errors_omitted }
}

/// The exit code that belongs to an HTTP status.
fn exit_of(status: u16) -> Exit {
    match status {
        401 | 403 => Exit::Denied,
        404 => Exit::NotFound,
        409 | 412 => Exit::Conflict,
        408 | 429 | 502..=504 | 507 => Exit::Unreachable,
        400..=499 => Exit::Invalid,
        _ => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use mainspring_api::ErrorCode;

    use super::*;

    fn registered(listener: &TcpListener) -> Registration {
        Registration {
            address: listener.local_addr().unwrap(),
            token_file: "data/token".into(),
            data: None,
            pid: 1,
            version: "0.1.0".to_owned(),
        }
    }

    #[test]
    fn the_only_living_server_is_found_with_its_token() {
        let alive = TcpListener::bind("127.0.0.1:0").unwrap();
        let dead = TcpListener::bind("127.0.0.1:0").unwrap();
        let known = vec![registered(&alive), registered(&dead)];
        drop(dead);
        let endpoint = choose(None, None, known).unwrap();
        assert_eq!(endpoint.url, format!("http://{}", alive.local_addr().unwrap()));
        assert_eq!(endpoint.token_file, Path::new("data/token"));
    }

    #[test]
    fn a_named_server_of_this_machine_finds_its_token_and_an_option_wins() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mine = registered(&listener);
        let url = format!("{}/", mine.url());
        let found = choose(Some(&url), None, vec![mine.clone()]).unwrap();
        assert_eq!(found.token_file, Path::new("data/token"));
        let said = choose(Some(&url), Some(Path::new("mine")), vec![mine]).unwrap();
        assert_eq!(said.token_file, Path::new("mine"));
    }

    #[test]
    fn what_is_missing_is_said_with_its_exit_code() {
        let (a, b) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let gone = registered(&TcpListener::bind("127.0.0.1:0").unwrap());
        let (address, hint) = (gone.url(), "start it again: mainspring server --data jobs");
        let error = choose(None, None, vec![Registration { data: Some("jobs".into()), ..gone.clone() }]).unwrap_err();
        assert!(error.reports[0].message.contains(&address), "{error:?}");
        assert_eq!(error.reports[0].hints[0], hint);
        let cases = [
            (None, vec![], "server.none", Exit::Unreachable),
            (None, vec![gone], "server.none", Exit::Unreachable),
            (None, vec![registered(&a), registered(&b)], "server.several", Exit::Usage),
            (Some("http://elsewhere:7070"), vec![registered(&a)], "token.none", Exit::Denied),
            (Some("elsewhere"), vec![registered(&a)], "cli.usage", Exit::Usage),
        ];
        for (server, known, code, exit) in cases {
            let error = choose(server, None, known).unwrap_err();
            assert_eq!((error.reports[0].code.as_str(), error.exit), (code, exit));
            assert!(!error.reports[0].hints.is_empty());
        }
    }

    #[test]
    fn every_error_of_the_api_has_a_fitting_exit_code() {
        let cases = [
            (ErrorCode::AuthMissing, Exit::Denied),
            (ErrorCode::JobNotFound, Exit::NotFound),
            (ErrorCode::ResourceStale, Exit::Conflict),
            (ErrorCode::ResourceExists, Exit::Conflict),
            (ErrorCode::ScheduleCron, Exit::Invalid),
            (ErrorCode::DocumentTooLarge, Exit::Invalid),
            (ErrorCode::ServerDraining, Exit::Unreachable),
            (ErrorCode::StoreUnavailable, Exit::Unreachable),
            (ErrorCode::ServerInternal, Exit::Failure),
        ];
        for (code, exit) in cases {
            let error = from_problem(ProblemDetails::new(code, "detail"));
            assert_eq!(error.exit, exit, "{code}");
            assert_eq!(error.reports[0].code, code.as_str());
        }
    }

    #[test]
    fn an_unreadable_or_empty_token_is_denied() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        assert_eq!(read_token(&file).unwrap_err().exit, Exit::Denied);
        std::fs::write(&file, "\n").unwrap();
        assert_eq!(read_token(&file).unwrap_err().reports[0].code, "token.empty");
        std::fs::write(&file, "secret\n").unwrap();
        assert_eq!(read_token(&file).unwrap(), "secret");
    }
}
