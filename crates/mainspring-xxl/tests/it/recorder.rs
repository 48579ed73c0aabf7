//! An executor's port that answers as it is told, and keeps what it hears.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is done with a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// It is answered with a status and a body, and these headers.
    Answer(u16, Vec<(String, String)>, String),
    /// The connection is closed without an answer.
    Close,
    /// It is never answered.
    Hold,
}

/// A request that was heard. Names of headers are in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heard {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is heard and what is to be done.
#[derive(Debug, Default)]
struct Script {
    acts: VecDeque<Act>,
    /// What requests are answered with when no act is left.
    usual: String,
    heard: Vec<Heard>,
    /// Those that are not answered.
    held: Vec<TcpStream>,
}

/// The port. Its threads end with the test.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    script: Arc<Shared>,
}

/// The script, and what is woken when something was heard.
type Shared = (Mutex<Script>, Condvar);

/// How long anything may take to be heard.
const PATIENCE: Duration = Duration::from_secs(120);

impl Recorder {
    pub fn start() -> std::io::Result<Self> {
        Self::start_answering(r#"{"code":200}"#)
    }

    /// Starts a port that answers this where nothing else is said.
    pub fn start_answering(usual: &str) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let script = Mutex::new(Script { usual: usual.to_owned(), ..Script::default() });
        let (address, script) = (listener.local_addr()?, Arc::new((script, Condvar::new())));
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let script = Arc::clone(&shared);
                // A connection that breaks is the client's to tell.
                std::thread::spawn(move || serve(stream, &script).ok());
            }
        });
        Ok(Self { address, script })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Says what is to be done with the next requests.
    pub fn then(&self, act: Act) -> &Self {
        lock(&self.script).acts.push_back(act);
        self
    }

    /// Waits until such a request was heard, and takes it out of what was heard.
    pub fn until(&self, is_it: impl Fn(&Heard) -> bool) -> Heard {
        let (_, woken) = &*self.script;
        let missing = |script: &mut Script| !script.heard.iter().any(&is_it);
        let (mut script, ended) =
            woken.wait_timeout_while(lock(&self.script), PATIENCE, missing).unwrap_or_else(PoisonError::into_inner);
        let place = script.heard.iter().position(&is_it);
        let place = place.unwrap_or_else(|| panic!("nothing came ({ended:?}); heard: {:?}", script.heard));
        script.heard.remove(place)
    }

    /// Takes what was heard since.
    pub fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut lock(&self.script).heard)
    }
}

fn lock(script: &Shared) -> MutexGuard<'_, Script> {
    script.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, script: &Shared) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(heard) = read(&mut reader)? {
        let act = {
            let mut script = lock(script);
            script.heard.push(heard);
            let usual = Act::Answer(200, json_type(), script.usual.clone());
            script.acts.pop_front().unwrap_or(usual)
        };
        script.1.notify_all();
        match act {
            Act::Answer(status, headers, body) => answer(&stream, status, &headers, &body)?,
            Act::Close => return Ok(()),
            Act::Hold => {
                lock(script).held.push(stream);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// pyxxl takes an answer of another type for a failure.
fn json_type() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "application/json;charset=UTF-8".to_owned())]
}

fn answer(mut stream: &TcpStream, status: u16, headers: &[(String, String)], body: &str) -> std::io::Result<()> {
    let mut text = format!("HTTP/1.1 {status} x\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if status != 204 {
        text += &format!("content-length: {}\r\n", body.len());
    }
    text += "\r\n";
    if status != 204 {
        text += body;
    }
    stream.write_all(text.as_bytes())
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Heard>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let first = lines.first().cloned().unwrap_or_default();
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Heard { method: method.to_owned(), path: path.to_owned(), headers, body }))
}
