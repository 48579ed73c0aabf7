//! Replays recorded exchanges: what executors sent is read, what they were asked is sent by our client, and what they answered is
//! read by it.

use mainspring_xxl::{
    Address, Call, Client, Code, Credentials, Dialect, Kill, LogQuestion, Method, Order, Reply, RunAnswer, Target,
    Tokens,
};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;

use super::recorder::{Act, Recorder};

/// One recorded exchange. `status` is absent where there was no answer.
#[derive(Clone, Deserialize, Debug)]
pub struct Exchange {
    pub scenario: String,
    #[serde(default)]
    pub note: String,
    pub direction: String,
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub request_headers: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    pub request_body: Option<String>,
    pub status: Option<u16>,
    #[serde(default)]
    pub response_body: Option<String>,
}

/// What we made of an exchange, and what was recorded.
#[derive(PartialEq, Eq, Debug)]
pub struct Differs {
    pub what: String,
    pub ours: String,
    pub theirs: String,
}

/// Compares two values as they are shown.
pub fn same(what: &str, ours: impl std::fmt::Debug, theirs: impl std::fmt::Debug) -> Result<(), Differs> {
    let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
    if ours == theirs { Ok(()) } else { Err(Differs { what: what.to_owned(), ours, theirs }) }
}

impl Exchange {
    /// Reads a line. Placeholders of hosts become an address.
    pub fn of(line: &Value) -> Result<Self, serde_json::Error> {
        let text = line.to_string().replace("EXECUTOR_HOST:EXECUTOR_PORT", "192.0.2.7:9999");
        serde_json::from_str(&text)
    }

    pub fn is_from_executor(&self) -> bool {
        self.direction == "executor->admin"
    }

    pub fn headers(&self) -> HeaderMap {
        let read = |(name, value): (&String, &String)| {
            Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_bytes(value.as_bytes()).ok()?))
        };
        self.request_headers.iter().filter_map(read).collect()
    }

    pub fn body(&self) -> &str {
        self.request_body.as_deref().unwrap_or_default()
    }

    /// Reads what an executor sent, as its bare JSON says it.
    pub fn replay_call(&self) -> Result<(), Differs> {
        let known = ["/registry", "/registryRemove", "/callback"];
        let is_ours = self.path.contains("/api/") && known.iter().any(|end| self.path.ends_with(end));
        let method = Method::of_path(&self.path);
        same("is it for us", method.is_some(), is_ours)?;
        let Some(method) = method.filter(|_| self.method == "POST") else { return Ok(()) };
        let header = |name: &str| {
            let named = self.request_headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
            named.map(|(_, value)| value.as_str()).find(|value| !value.is_empty())
        };
        let credentials = Credentials::of(&self.headers());
        let token = header("XXL-JOB-ACCESS-TOKEN").or_else(|| header("XXL-RPC-ACCESS-TOKEN"));
        same("token", credentials.token.as_deref(), token)?;
        same("app", credentials.app.as_deref(), header("XXL-JOB-APPNAME"))?;
        if let Some(token) = token {
            same("is the token right", Tokens::new([token.to_owned()]).accept(&credentials), true)?;
            same("is another token right", Tokens::new([format!("{token}x")]).accept(&credentials), false)?;
        }
        let call = Call::parse(method, self.body().as_bytes());
        let call = call.map_err(|error| Differs {
            what: "request".to_owned(),
            ours: error.to_string(),
            theirs: self.body().to_owned(),
        })?;
        let json: Value = serde_json::from_str(self.body()).unwrap_or_default();
        match call {
            Call::Registry(registration) | Call::RegistryRemove(registration) => {
                same("app", Some(registration.app.as_str()), json["registryKey"].as_str())?;
                let address = json["registryValue"].as_str().map(|text| text.trim_end_matches('/'));
                same("address", Some(registration.address.as_str()), address)
            }
            Call::Callback { items, unreadable, .. } => {
                same("items that cannot be read", unreadable, 0)?;
                let list = json.get("callbackList").unwrap_or(&json).as_array().cloned().unwrap_or_default();
                same("items", items.len(), list.len())?;
                for (item, json) in items.iter().zip(&list) {
                    same("run", item.log_id.to_string(), json["logId"].to_string().trim_matches('"'))?;
                    let code = json["handleCode"].as_i64().filter(|code| *code > 0);
                    let code = code.or_else(|| json["executeResult"]["code"].as_i64());
                    same("code", item.code, Code::of(code))?;
                    let message = [&json["handleMsg"], &json["executeResult"]["msg"]];
                    let message = message.into_iter().find(|text| !text.is_null());
                    let message = message.map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned));
                    same("message", &item.message, &message)?;
                }
                Ok(())
            }
        }
    }

    /// Reads what an executor answered, as its bare JSON says it.
    pub fn replay_answer(&self) -> Result<(), Differs> {
        let Some(status) = self.status else { return Ok(()) };
        let body = self.response_body.as_deref().unwrap_or_default();
        let reply = Reply::parse(status, body.as_bytes());
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let code = json["code"].as_i64().filter(|_| status == 200);
        same("code", reply.code, code)?;
        same("is it a success", reply.is_success(), code == Some(200))?;
        if code.is_some() {
            let message = json["msg"].as_str();
            same("message", reply.message.as_deref(), message)?;
            let payload = [&json["data"], &json["content"]].into_iter().find(|payload| !payload.is_null());
            same("payload", reply.payload.value(), payload)?;
        }
        Ok(())
    }

    /// The question of an exchange in which the admin sent what it should: every field, the token, the app.
    pub fn question(&self) -> Option<Question> {
        let named = |name: &str| self.request_headers.get(name).filter(|value| !value.is_empty()).cloned();
        let (token, app) = (named("XXL-JOB-ACCESS-TOKEN")?, named("XXL-JOB-APPNAME")?);
        if self.method != "POST" {
            return None;
        }
        let (base, method) = self.path.rsplit_once('/')?;
        let asked = match method {
            "beat" if self.body().is_empty() => Asked::Beat,
            "run" | "trigger" => Asked::Run(exactly(self.body())?),
            "kill" => Asked::Kill(exactly::<Kill>(self.body())?.job_id),
            "idleBeat" => Asked::IdleBeat(exactly::<Kill>(self.body())?.job_id),
            "log" => Asked::Log(exactly(self.body())?),
            _ => return None,
        };
        let dialect = if method == "trigger" { Dialect::V3_5 } else { Dialect::V3_3 };
        Some(Question { base: base.to_owned(), token, app, dialect, asked })
    }

    /// Lets our client ask the same of a port that answers as the executor did; compares the request field by field, and what
    /// the client makes of the answer.
    pub async fn replay_question(&self, client: &Client, recorder: &Recorder) -> Result<(), Differs> {
        let (Some(question), Some(status)) = (self.question(), self.status) else { return Ok(()) };
        let body = self.response_body.clone().unwrap_or_default();
        recorder.then(Act::Answer(status, Vec::new(), body.clone()));
        let address = Address::parse(&(recorder.url() + &question.base)).expect("the recorder's address is one");
        let Question { token, app, dialect, asked, .. } = &question;
        let to = Target { address: &address, dialect: *dialect, app, token: Some(token) };
        let reply = asked.ask(client, &to).await?;
        let heard = recorder.take().pop().expect("the recorder has answered");
        same("method", heard.method.as_str(), self.method.as_str())?;
        same("path", heard.path.as_str(), self.path.as_str())?;
        for name in ["Content-Type", "XXL-JOB-ACCESS-TOKEN", "XXL-JOB-APPNAME"] {
            let theirs = self.request_headers.get(name).map(String::as_str);
            same(name, heard.header(&name.to_lowercase()), theirs)?;
        }
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        same("body", json(&heard.body), json(self.body()))?;
        same("answer", reply, Reply::parse(status, body.as_bytes()))
    }
}

/// A question that was asked as it should be.
pub struct Question {
    base: String,
    token: String,
    app: String,
    dialect: Dialect,
    pub asked: Asked,
}

pub enum Asked {
    Beat,
    IdleBeat(i32),
    Run(Order),
    Kill(i32),
    Log(LogQuestion),
}

impl Asked {
    async fn ask(&self, client: &Client, to: &Target<'_>) -> Result<Reply, Differs> {
        let reply = match self {
            Self::Beat => client.beat(to).await,
            Self::IdleBeat(job) => client.idle_beat(to, *job).await,
            Self::Kill(job) => client.kill(to, *job).await,
            Self::Log(question) => client.log(to, question).await,
            Self::Run(order) => match client.run(to, order).await {
                RunAnswer::Accepted(reply) if reply.is_success() => Ok(reply),
                RunAnswer::Refused(reply) if !reply.is_success() => Ok(reply),
                other => {
                    return Err(Differs { what: "answer".into(), ours: format!("{other:?}"), theirs: "200".into() });
                }
            },
        };
        reply.map_err(|error| Differs { what: "answer".into(), ours: error.to_string(), theirs: "an answer".into() })
    }
}

/// Reads a body that has all fields of a type, and no others.
fn exactly<T: serde::de::DeserializeOwned + serde::Serialize>(body: &str) -> Option<T> {
    let json: Value = serde_json::from_str(body).ok()?;
    let read: T = serde_json::from_value(json.clone()).ok()?;
    (serde_json::to_value(&read).ok()? == json).then_some(read)
}
