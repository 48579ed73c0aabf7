//! A desk that hands out work as a server does, kept in memory, with ways to break it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use mainspring_api::{
    ErrorCode, ProblemDetails, Timestamp, WorkerEnd, WorkerHolding, WorkerOrders, WorkerPoll, WorkerReceipt,
    WorkerReport, WorkerRun, WorkerSpec, WorkerTask, WorkerTerms,
};
use serde::de::DeserializeOwned;

/// How long something may be waited for on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const HOLD_MS: u64 = 500;

/// What the desk knows.
#[derive(Default)]
pub struct State {
    /// Workers that have joined, the first first; `w1` is the id of the first.
    pub joined: Vec<WorkerSpec>,
    /// The id that is known; any other is answered `worker.not_found`.
    pub known: Option<String>,
    /// Runs that nobody was given yet.
    pub waiting: Vec<WorkerRun>,
    /// Runs that were given, and have not ended.
    pub given: BTreeMap<WorkerHolding, WorkerRun>,
    /// Runs whose end is asked for.
    pub cancel: Vec<String>,
    /// Every question.
    pub polls: Vec<(String, WorkerPoll)>,
    /// Every report that was recorded, with who sent it.
    pub reports: Vec<(String, WorkerReport)>,
    /// Who has left.
    pub left: Vec<String>,
    /// Whether it is cut off: takes nothing in, and does not answer.
    pub is_down: bool,
    /// Answers to this many next questions get lost.
    pub answers_to_lose: u32,
    /// Whether reports with an output are refused for good.
    pub refuses_output: bool,
    /// The token, if one is asked for.
    pub token: Option<String>,
    give_up_ms: u64,
}

impl State {
    /// Ends that were recorded.
    pub fn ends(&self) -> Vec<WorkerEnd> {
        self.reports.iter().flat_map(|(_, report)| report.ends.clone()).collect()
    }

    /// The log of a run, as far as it was recorded.
    pub fn log(&self, run: &str) -> Vec<String> {
        let logs = self.reports.iter().flat_map(|(_, report)| &report.logs).filter(|log| log.run == run);
        logs.flat_map(|log| log.lines.iter().map(|line| line.text.clone())).collect()
    }
}

/// Listens on a free port until the test ends.
#[derive(Clone)]
pub struct Desk {
    address: SocketAddr,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Desk {
    /// A desk that tells workers to give up after this time.
    pub fn start(give_up_ms: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = State { give_up_ms, ..State::default() };
        let desk =
            Self { address: listener.local_addr().unwrap(), shared: Arc::new((Mutex::new(state), Condvar::new())) };
        let serving = desk.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let desk = serving.clone();
                std::thread::spawn(move || desk.serve(connection.unwrap()));
            }
        });
        desk
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes something, or looks at it.
    pub fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let done = change(&mut self.state());
        self.shared.1.notify_all();
        done
    }

    /// Waits until the desk knows something.
    pub async fn until<T: Send + 'static>(
        &self,
        what: &str,
        wanted: impl Fn(&State) -> Option<T> + Send + 'static,
    ) -> T {
        let desk = self.clone();
        let found = tokio::task::spawn_blocking(move || {
            let (state, timeout) =
                desk.shared.1.wait_timeout_while(desk.state(), PATIENCE, |state| wanted(state).is_none()).unwrap();
            assert!(!timeout.timed_out(), "the desk has waited for too long; ends: {:?}", state.ends());
            wanted(&state)
        });
        found.await.unwrap_or_else(|_| panic!("never came: {what}")).unwrap()
    }

    /// Waits for the end of a run.
    pub async fn end_of(&self, run: &'static str) -> WorkerEnd {
        self.until(run, move |state| state.ends().into_iter().find(|end| end.run == run)).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }

    /// Serves one request per connection. A desk that is down hangs up.
    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream);
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let (mut length, mut token) = (0, String::new());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => value.clone_into(&mut token),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let mut words = first.split_whitespace();
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let Some((status, kind, text)) = self.answer(method, path, &token, &body) else { return };
        // A worker that has hung up meanwhile is none of our business.
        let _ = write!(
            reader.get_mut(),
            "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
    }

    fn answer(&self, method: &str, path: &str, token: &str, body: &[u8]) -> Option<(u16, &'static str, String)> {
        let parts: Vec<&str> = path.trim_start_matches("/api/v1/workers").trim_start_matches('/').split('/').collect();
        {
            let state = self.state();
            if state.is_down {
                return None;
            }
            if state.token.as_ref().is_some_and(|wanted| token != format!("Bearer {wanted}")) {
                return Some(problem(ErrorCode::AuthInvalid));
            }
            if !parts[0].is_empty() && state.known.as_deref() != Some(parts[0]) {
                return Some(problem(ErrorCode::WorkerNotFound));
            }
        }
        let id = parts[0].to_owned();
        match (method, parts.as_slice()) {
            ("POST", [""]) => Some(self.join(read(body))),
            ("POST", [_, "poll"]) => self.poll(id, &read(body)),
            ("POST", [_, "report"]) => Some(self.report(id, read(body))),
            ("DELETE", [_]) => {
                self.with(|state| {
                    state.left.push(id);
                    state.known = None;
                });
                Some((204, "text/plain", String::new()))
            }
            _ => panic!("{method} {path}"),
        }
    }

    fn join(&self, spec: WorkerSpec) -> (u16, &'static str, String) {
        self.with(|state| {
            state.joined.push(spec);
            let id = format!("w{}", state.joined.len());
            state.known = Some(id.clone());
            json(
                201,
                &WorkerTerms { id, hold_ms: HOLD_MS, idle_hold_ms: None, give_up_ms: state.give_up_ms, clock: false },
            )
        })
    }

    fn poll(&self, id: String, poll: &WorkerPoll) -> Option<(u16, &'static str, String)> {
        self.with(|state| state.polls.push((id.clone(), poll.clone())));
        let hold = Duration::from_millis(poll.wait_ms.unwrap_or(HOLD_MS));
        let has_nothing = |state: &mut State| !state.is_down && state.orders(poll).is_none();
        let (mut state, _) = self.shared.1.wait_timeout_while(self.state(), hold, has_nothing).unwrap();
        if state.is_down {
            return None;
        }
        if state.known.as_deref() != Some(&id) {
            return Some(problem(ErrorCode::WorkerNotFound));
        }
        let orders = state.orders(poll).unwrap_or_default();
        for run in &orders.runs {
            state.given.insert(WorkerHolding { run: run.run.clone(), attempt: run.attempt }, run.clone());
        }
        let given: Vec<String> = orders.runs.iter().map(|run| run.run.clone()).collect();
        state.waiting.retain(|run| !given.contains(&run.run));
        state.cancel.retain(|run| !orders.cancel.contains(run));
        if state.answers_to_lose > 0 {
            state.answers_to_lose -= 1;
            return None;
        }
        Some(json(200, &orders))
    }

    fn report(&self, id: String, report: WorkerReport) -> (u16, &'static str, String) {
        self.with(|state| {
            if state.refuses_output && report.ends.iter().any(|end| end.output.is_some()) {
                return problem(ErrorCode::WorkerOutput);
            }
            for end in &report.ends {
                state.given.remove(&WorkerHolding { run: end.run.clone(), attempt: end.attempt });
            }
            state.reports.push((id, report));
            json(200, &WorkerReceipt::default())
        })
    }
}

impl State {
    /// What there is to say to a question.
    fn orders(&self, poll: &WorkerPoll) -> Option<WorkerOrders> {
        let again = self.given.iter().filter(|(holding, _)| !poll.runs.contains(holding)).map(|(_, run)| run.clone());
        let slots = self.joined.last().map_or(u32::MAX, |spec| spec.slots);
        let room = (slots as usize).saturating_sub(self.given.len()).min(poll.free as usize);
        let fresh = self.waiting.iter().take(room).cloned();
        let named = |run: &&String| poll.runs.iter().any(|holding| holding.run == **run);
        let orders = WorkerOrders {
            runs: again.chain(fresh).collect(),
            cancel: self.cancel.iter().filter(named).cloned().collect(),
            ..WorkerOrders::default()
        };
        (orders != WorkerOrders::default()).then_some(orders)
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> T {
    serde_json::from_slice(body).unwrap()
}

fn json(status: u16, value: &impl serde::Serialize) -> (u16, &'static str, String) {
    (status, "application/json", serde_json::to_string(value).unwrap())
}

fn problem(code: ErrorCode) -> (u16, &'static str, String) {
    let problem = ProblemDetails::new(code, "as the test wants it");
    (problem.status, ProblemDetails::MEDIA_TYPE, serde_json::to_string(&problem).unwrap())
}

/// A run of a handler.
pub fn handler_run(run: &str, handler: &str) -> WorkerRun {
    WorkerRun { task: WorkerTask::Handler { name: handler.to_owned() }, ..script_run(run, "") }
}

/// A run of a shell line.
pub fn script_run(run: &str, script: &str) -> WorkerRun {
    WorkerRun {
        run: run.to_owned(),
        attempt: 1,
        namespace: "default".to_owned(),
        job: "job".to_owned(),
        fire_at: Timestamp::from_millis(1_767_225_600_000),
        due_at: Timestamp::from_millis(1_767_225_600_000),
        task: WorkerTask::Run { script: script.to_owned(), shell: None },
        input: serde_json::json!({ "who": "world" }),
        shard: None,
        env: BTreeMap::new(),
        working_dir: None,
        leftovers: Default::default(),
        data: None,
        timeout_ms: None,
        shared: false,
    }
}
