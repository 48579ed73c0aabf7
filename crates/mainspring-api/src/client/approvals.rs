//! What waits for somebody's approval.

use super::{Client, ClientError};
use crate::{Approval, ApprovalFilter, Page, routes};

impl Client {
    /// Lists the tasks of workflow runs that wait for somebody's approval, the newest first.
    pub async fn approvals(&self, filter: &ApprovalFilter) -> Result<Page<Approval>, ClientError> {
        self.get(routes::APPROVALS, filter).await
    }
}
