//! Flows.

use reqwest::Method;

use super::{Client, ClientError, Precondition};
use crate::{
    Flow, FlowChange, FlowChecked, FlowComponent, FlowDropped, FlowHistoryFilter, FlowItem, FlowItemContent,
    FlowItemFilter, FlowLine, FlowMinute, FlowPool, FlowPoolSize, FlowReplay, FlowReplayed, FlowSaveOptions, FlowSpec,
    FlowSummary, routes,
};

impl Client {
    /// Lists the flows of all namespaces.
    pub async fn flows(&self) -> Result<Vec<FlowSummary>, ClientError> {
        self.get(routes::FLOWS, &()).await
    }

    /// Returns a flow with all that is known of it now.
    pub async fn flow(&self, namespace: &str, name: &str) -> Result<Flow, ClientError> {
        self.get(&routes::path(routes::FLOW, &[namespace, name]), &()).await
    }

    /// Saves a flow.
    pub async fn put_flow(&self, namespace: &str, spec: &FlowSpec) -> Result<Flow, ClientError> {
        self.put(&routes::path(routes::FLOW, &[namespace, &spec.flow]), spec, Precondition::None, &()).await
    }

    /// Saves a flow as the options say: with `restart`, components that run and that the edit touches are stopped and started again.
    pub async fn put_flow_with(
        &self,
        namespace: &str,
        spec: &FlowSpec,
        options: &FlowSaveOptions,
    ) -> Result<Flow, ClientError> {
        self.put(&routes::path(routes::FLOW, &[namespace, &spec.flow]), spec, Precondition::None, options).await
    }

    /// Deletes a flow with all of its items.
    pub async fn delete_flow(&self, namespace: &str, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::FLOW, &[namespace, name]), Precondition::None, &()).await
    }

    /// Starts, stops, terminates or runs components once.
    pub async fn change_flow(&self, namespace: &str, name: &str, change: &FlowChange) -> Result<Flow, ClientError> {
        self.post(&routes::path(routes::FLOW_COMPONENTS, &[namespace, name]), change, &()).await
    }

    /// Says why a component runs or does not.
    pub async fn flow_why(&self, namespace: &str, name: &str, component: &str) -> Result<FlowComponent, ClientError> {
        self.get(&routes::path(routes::FLOW_WHY, &[namespace, name, component]), &()).await
    }

    /// Returns the last lines of a component's log.
    pub async fn flow_log(&self, namespace: &str, name: &str, component: &str) -> Result<Vec<FlowLine>, ClientError> {
        self.get(&routes::path(routes::FLOW_LOG, &[namespace, name, component]), &()).await
    }

    /// Returns what a flow did minute by minute, the oldest first.
    pub async fn flow_history(
        &self,
        namespace: &str,
        name: &str,
        filter: FlowHistoryFilter,
    ) -> Result<Vec<FlowMinute>, ClientError> {
        self.get(&routes::path(routes::FLOW_HISTORY, &[namespace, name]), &filter).await
    }

    /// Lists items that wait in a connection, in the order in which they leave.
    pub async fn flow_queue(
        &self,
        namespace: &str,
        name: &str,
        connection: &str,
        filter: FlowItemFilter,
    ) -> Result<Vec<FlowItem>, ClientError> {
        self.get(&routes::path(routes::FLOW_QUEUE, &[namespace, name, connection]), &filter).await
    }

    /// Removes items that wait in a connection: all of them, or one.
    pub async fn drop_flow_items(
        &self,
        namespace: &str,
        name: &str,
        connection: &str,
        filter: FlowItemFilter,
    ) -> Result<FlowDropped, ClientError> {
        let path = routes::path(routes::FLOW_QUEUE, &[namespace, name, connection]);
        self.send(self.request(Method::DELETE, &path).query(&filter)).await
    }

    /// Moves items that wait in a connection to another one, where they are tried anew.
    pub async fn replay_flow_items(
        &self,
        namespace: &str,
        name: &str,
        connection: &str,
        replay: &FlowReplay,
    ) -> Result<FlowReplayed, ClientError> {
        self.post(&routes::path(routes::FLOW_REPLAY, &[namespace, name, connection]), replay, &()).await
    }

    /// Lists the pools of permits of the node that answers.
    pub async fn flow_pools(&self) -> Result<Vec<FlowPool>, ClientError> {
        self.get(routes::FLOW_POOLS, &()).await
    }

    /// Sets the size of a pool on every node, or adds one.
    pub async fn set_flow_pool(&self, pool: &str, size: u32) -> Result<FlowPool, ClientError> {
        let path = routes::path(routes::FLOW_POOL, &[pool]);
        self.put(&path, &FlowPoolSize { size }, Precondition::None, &()).await
    }

    /// Says what is wrong with a flow, without saving it.
    pub async fn check_flow(&self, namespace: &str, spec: &FlowSpec) -> Result<FlowChecked, ClientError> {
        self.post(&routes::path(routes::FLOW_CHECK, &[namespace, &spec.flow]), spec, &()).await
    }

    /// Returns what an item holds.
    pub async fn flow_item(&self, namespace: &str, name: &str, item: i64) -> Result<FlowItemContent, ClientError> {
        self.get(&routes::path(routes::FLOW_ITEM, &[namespace, name, &item.to_string()]), &()).await
    }
}
