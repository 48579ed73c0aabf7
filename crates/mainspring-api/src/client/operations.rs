//! Operations over many jobs or runs.

use super::{Client, ClientError};
use crate::{Operation, OperationSpec, WriteOptions, routes};

impl Client {
    /// Begins an operation, or with a dry run says how many jobs or runs it would be done to.
    pub async fn begin_operation(&self, spec: &OperationSpec, options: WriteOptions) -> Result<Operation, ClientError> {
        self.post(routes::OPERATIONS, spec, &options).await
    }

    /// Returns how far an operation is.
    pub async fn operation(&self, id: &str) -> Result<Operation, ClientError> {
        self.get(&routes::path(routes::OPERATION, &[id]), &()).await
    }
}
