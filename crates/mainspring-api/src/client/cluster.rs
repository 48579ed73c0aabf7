//! Schedules, events, nodes, health.

use super::{Client, ClientError, EventStream};
use crate::{
    Cluster, ClusterLateness, EventFilter, Health, LoginLink, NextFilter, NextFire, Node, Preview, PreviewRequest,
    Reason, Repaired, ServerInfo, ShardMove, routes,
};

impl Client {
    /// Explains a schedule and lists its next fire times; nothing is stored.
    pub async fn preview(&self, request: &PreviewRequest) -> Result<Preview, ClientError> {
        self.post(routes::PREVIEW, request, &()).await
    }

    /// Lists fire times to come, earliest first.
    pub async fn next_fires(&self, filter: &NextFilter) -> Result<Vec<NextFire>, ClientError> {
        self.get(routes::NEXT, filter).await
    }

    /// Reads events as they happen, from now on or after the event `last_id`.
    pub async fn events(&self, filter: &EventFilter, last_id: Option<&str>) -> Result<EventStream, ClientError> {
        Ok(EventStream::new(self.stream(routes::EVENTS, filter, last_id).await?))
    }

    /// Lists the server processes of the cluster.
    pub async fn nodes(&self) -> Result<Vec<Node>, ClientError> {
        self.get(routes::NODES, &()).await
    }

    /// Returns the nodes and shards of the cluster.
    pub async fn cluster(&self) -> Result<Cluster, ClientError> {
        self.get(routes::CLUSTER, &()).await
    }

    /// Returns how late handlers were entered lately, on each node and altogether.
    pub async fn cluster_lateness(&self) -> Result<ClusterLateness, ClientError> {
        self.get(routes::LATENESS, &()).await
    }

    /// Returns the last moves of shards from node to node, as the node that answers saw them, newest first.
    pub async fn shard_moves(&self) -> Result<Vec<ShardMove>, ClientError> {
        self.get(routes::SHARD_MOVES, &()).await
    }

    /// Asks a node, by name or incarnation, to give its shards up.
    pub async fn drain_node(&self, node: &str, reason: &Reason) -> Result<Node, ClientError> {
        self.post(&routes::path(routes::NODE_DRAIN, &[node]), reason, &()).await
    }

    /// Lets a node take shards again.
    pub async fn undrain_node(&self, node: &str, reason: &Reason) -> Result<Node, ClientError> {
        self.post(&routes::path(routes::NODE_UNDRAIN, &[node]), reason, &()).await
    }

    /// Describes the server that answers.
    pub async fn info(&self) -> Result<ServerInfo, ClientError> {
        self.get(routes::INFO, &()).await
    }

    /// Compares workflow runs with the runs of their tasks, and mends what differs.
    pub async fn repair(&self) -> Result<Repaired, ClientError> {
        self.post(routes::REPAIR, &(), &()).await
    }

    /// Makes a link that signs a browser in.
    pub async fn login_link(&self) -> Result<LoginLink, ClientError> {
        self.post(routes::SESSION_LINK, &(), &()).await
    }

    /// Tells whether the process is alive. A failing one answers too, with status 503.
    pub async fn livez(&self) -> Result<Health, ClientError> {
        self.health(routes::LIVEZ).await
    }

    /// Tells whether the server can serve, with every check.
    pub async fn readyz(&self) -> Result<Health, ClientError> {
        self.health(routes::READYZ).await
    }

    /// Returns the figures of `/metrics`, as OpenMetrics text.
    pub async fn metrics(&self) -> Result<String, ClientError> {
        let request = self.request(reqwest::Method::GET, routes::METRICS).timeout(self.timeout);
        let response = super::answer::accepted(self.response(request).await?).await?;
        response.text().await.map_err(|source| ClientError::unreachable(self.address(), source))
    }

    async fn health(&self, path: &str) -> Result<Health, ClientError> {
        let request = self.request(reqwest::Method::GET, path).query(&[("verbose", "true")]);
        let response = self.response(request.timeout(self.timeout)).await?;
        match response.status().as_u16() {
            503 if super::answer::content_type(&response) == "application/json" => super::answer::json(response).await,
            _ => super::answer::json(super::answer::accepted(response).await?).await,
        }
    }
}
