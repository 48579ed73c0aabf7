//! An executor's port that answers as it is told, and keeps what it hears.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

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

/// What is heard and what is to be done. Without an act left, requests are answered with success.
#[derive(Debug, Default)]
struct Script {
    acts: VecDeque<Act>,
    heard: Vec<Heard>,
    /// Those that are not answered.
    held: Vec<TcpStream>,
}

/// The port. Its threads end with the test.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

impl Recorder {
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (address, script) = (listener.local_addr()?, Arc::new(Mutex::new(Script::default())));
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

    /// Takes what was heard since.
    pub fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut lock(&self.script).heard)
    }
}

fn lock(script: &Mutex<Script>) -> std::sync::MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, script: &Mutex<Script>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(heard) = read(&mut reader)? {
        let act = {
            let mut script = lock(script);
            script.heard.push(heard);
            script.acts.pop_front()
        };
        match act.unwrap_or_else(|| Act::Answer(200, Vec::new(), r#"{"code":200}"#.to_owned())) {
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
