//! A server that answers as told: what a command sends, and what it makes of the answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// An answer: status, media type, body.
pub type Answer = (u16, &'static str, String);

/// A request as it arrived: `METHOD /path?query`, the token, and the body.
#[derive(Debug, Clone)]
pub struct Asked {
    pub line: String,
    pub token: String,
    pub body: String,
}

/// Listens on a free port until the test ends.
pub struct Canned {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Canned {
    /// Answers each request by `answer`, which gets its `METHOD /path?query`.
    pub fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                serve(connection.unwrap(), &answer, &log);
            }
        });
        Self { address, asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The first lines of all requests so far.
    pub fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }
}

/// An answer of the API.
pub fn json(status: u16, body: impl Into<String>) -> Answer {
    (status, "application/json", body.into())
}

/// An error of the API.
pub fn problem(status: u16, code: &str, detail: &str) -> Answer {
    let body = format!(
        r#"{{"type": "urn:mainspring:error:{code}", "title": "t", "status": {status}, "detail": {detail:?}, "code": "{code}"}}"#
    );
    (status, "application/problem+json", body)
}

/// Serves one request per connection.
fn serve(mut stream: TcpStream, answer: &impl Fn(&str) -> Answer, log: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap() == 0 {
        return; // Somebody only looked whether anyone listens.
    }
    let (mut length, mut token) = (0, String::new());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let Some((name, value)) = header.trim().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => value.clone_into(&mut token),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let line = first.trim().trim_end_matches(" HTTP/1.1").to_owned();
    let (status, media_type, text) = answer(&line);
    log.lock().unwrap().push(Asked { line, token, body: String::from_utf8(body).unwrap() });
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
    .unwrap();
}
