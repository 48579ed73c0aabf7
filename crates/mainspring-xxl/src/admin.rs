//! Talks to an admin of XXL-JOB as its executors do.

use serde_json::{Value, json};

use crate::address::{Address, AddressError};
use crate::client::{Client, Target};
use crate::dialect::Dialect;

/// An admin, and the app in whose name it is spoken to.
#[derive(Clone, Debug)]
pub struct Admin {
    client: Client,
    apis: Vec<Address>,
    app: String,
    token: Option<String>,
}

impl Admin {
    /// Takes the addresses that executors have for it, such as `http://10.0.0.2:8080/xxl-job-admin`: one for each of its nodes, of which
    /// the first that takes a request gets it.
    ///
    /// # Errors
    /// An address is too long.
    pub fn new(client: Client, nodes: &[Address], app: &str, token: Option<String>) -> Result<Self, AddressError> {
        let apis = nodes.iter().map(|address| Address::parse(&address.join("api"))).collect::<Result<_, _>>()?;
        Ok(Self { client, apis, app: app.to_owned(), token })
    }

    /// Says that an executor is there. Admins forget it after 90 s.
    ///
    /// # Errors
    /// Why no node takes it, for people.
    pub async fn register(&self, executor: &Address) -> Result<(), String> {
        self.say("registry", &self.registration(executor)).await
    }

    /// Says that an executor goes.
    ///
    /// # Errors
    /// Why no node takes it, for people.
    pub async fn leave(&self, executor: &Address) -> Result<(), String> {
        self.say("registryRemove", &self.registration(executor)).await
    }

    /// Reports ends of runs.
    ///
    /// # Errors
    /// Why no node takes them, for people: they are to be reported again.
    pub async fn call_back(&self, ends: &Value) -> Result<(), String> {
        self.say("callback", ends).await
    }

    /// Java's executors write a slash at the end, and admins compare texts.
    fn registration(&self, executor: &Address) -> Value {
        json!({"registryGroup": "EXECUTOR", "registryKey": self.app, "registryValue": format!("{executor}/")})
    }

    async fn say(&self, method: &str, body: &Value) -> Result<(), String> {
        let body = body.to_string();
        let mut refused = Vec::new();
        for address in &self.apis {
            let target = Target { address, dialect: Dialect::V3_3, app: &self.app, token: self.token.as_deref() };
            match self.client.call(&target, method, &body).await {
                Ok(reply) if reply.is_success() => return Ok(()),
                Ok(reply) => {
                    let why = reply.message.unwrap_or_else(|| "no success, and no reason".to_owned());
                    refused.push(format!("{address}: {why}"));
                }
                Err(error) => refused.push(error.to_string()),
            }
        }
        Err(refused.join("; "))
    }
}
