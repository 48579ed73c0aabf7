//! An executor that answers at once: just as much HTTP as the server speaks to it.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mainspring_xxl::Order;
use serde_json::json;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Ends that one request reports.
const BATCH: usize = 500;
/// How often it says that it is there.
const BEAT: Duration = Duration::from_secs(30);
/// The longest body that is read, in bytes.
const BODY_MAX: usize = 1 << 20;

/// An executor, for as long as the value lives.
pub(super) struct Executor {
    heard: Arc<Mutex<Heard>>,
    _tasks: JoinSet<()>,
}

/// How an executor takes a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    /// It answers at once, and reports the end.
    Prompt,
    /// It reads the request, and never says anything.
    Silent,
}

/// The numbers that it was sent.
#[derive(Default)]
struct Heard {
    numbers: HashSet<i64>,
    repeated: u64,
}

/// Where it reports, and as whom.
#[derive(Clone)]
struct Admin {
    host: String,
    app: String,
    token: String,
}

impl Executor {
    /// Listens and registers.
    pub(super) async fn start(url: &str, app: &str, token: &str, manner: Manner) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let host = url.trim_start_matches("http://").to_owned();
        let admin = Admin { host, app: app.to_owned(), token: token.to_owned() };
        let mut connection = admin.connect().await?;
        admin.beat(&mut connection, &address).await?;
        let (ended, ends) = mpsc::unbounded_channel();
        let heard = Arc::<Mutex<Heard>>::default();
        let mut tasks = JoinSet::new();
        tasks.spawn(listen(listener, Arc::clone(&heard), ended, manner));
        tasks.spawn(report(admin, connection, address, ends));
        Ok(Self { heard, _tasks: tasks })
    }

    /// Runs that it was sent.
    pub(super) fn heard(&self) -> u64 {
        lock(&self.heard).numbers.len() as u64
    }

    /// Runs that it was sent again.
    pub(super) fn repeated(&self) -> u64 {
        lock(&self.heard).repeated
    }
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn listen(listener: TcpListener, heard: Arc<Mutex<Heard>>, ended: mpsc::UnboundedSender<i64>, manner: Manner) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let (heard, ended) = (Arc::clone(&heard), ended.clone());
        connections.spawn(async move {
            // A connection that the server closes ends here.
            let _closed = answer(stream, &heard, &ended, manner).await;
        });
    }
}

async fn answer(
    stream: TcpStream,
    heard: &Mutex<Heard>,
    ended: &mpsc::UnboundedSender<i64>,
    manner: Manner,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some((first, body)) = message(&mut stream).await? {
        let is_run = first.starts_with("POST /run ") || first.starts_with("POST /trigger ");
        let order = is_run.then(|| serde_json::from_slice::<Order>(&body).ok()).flatten();
        let is_new = order.as_ref().is_some_and(|order| {
            let mut heard = lock(heard);
            let is_new = heard.numbers.insert(order.log_id);
            heard.repeated += u64::from(!is_new);
            is_new
        });
        if manner == Manner::Silent {
            continue;
        }
        let said = match first.starts_with("POST /log ") {
            true => r#"{"code":200,"content":{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":true}}"#,
            false => r#"{"code":200}"#,
        };
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", said.len());
        stream.write_all((head + said).as_bytes()).await?;
        if let Some(order) = order.filter(|_| is_new) {
            // The other end is there for as long as this one.
            let _sent = ended.send(order.log_id).is_ok();
        }
    }
    Ok(())
}

/// Reports ends as they come, and says again and again that the executor is there.
async fn report(
    admin: Admin,
    mut connection: BufReader<TcpStream>,
    address: String,
    mut ends: mpsc::UnboundedReceiver<i64>,
) {
    let mut beat = tokio::time::interval(BEAT);
    let mut batch = Vec::new();
    loop {
        let done = tokio::select! {
            count = ends.recv_many(&mut batch, BATCH) => match count {
                0 => return,
                _ => {
                    let items: Vec<_> = batch.drain(..).map(|id| json!({"logId": id, "logDateTim": 0, "handleCode": 200})).collect();
                    admin.say(&mut connection, "callback", &json!(items).to_string()).await
                }
            },
            _ = beat.tick() => admin.beat(&mut connection, &address).await,
        };
        // The server ends; what is not reported is counted as lost.
        if done.is_err() {
            return;
        }
    }
}

impl Admin {
    async fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect(&self.host).await?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }

    async fn beat(&self, connection: &mut BufReader<TcpStream>, address: &str) -> io::Result<()> {
        let body = json!({"registryGroup": "EXECUTOR", "registryKey": self.app, "registryValue": address});
        self.say(connection, "registry", &body.to_string()).await
    }

    /// Says something, and wants success.
    async fn say(&self, connection: &mut BufReader<TcpStream>, what: &str, body: &str) -> io::Result<()> {
        let Self { host, token, .. } = self;
        let head = format!(
            "POST /api/{what} HTTP/1.1\r\nHost: {host}\r\nXXL-JOB-ACCESS-TOKEN: {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        connection.write_all((head + body).as_bytes()).await?;
        let answer = message(connection).await?.map(|(_, body)| serde_json::from_slice::<serde_json::Value>(&body));
        match answer {
            Some(Ok(answer)) if answer["code"] == 200 => Ok(()),
            other => Err(io::Error::other(format!("the server refuses a {what}: {other:?}"))),
        }
    }
}

/// Reads a request or an answer: its first line, and its body. None: the other side has closed.
async fn message(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<(String, Vec<u8>)>> {
    let (mut first, mut length) = (String::new(), 0);
    if stream.read_line(&mut first).await? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    if length > BODY_MAX {
        return Err(io::Error::other("a body is too long"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some((first, body)))
}
