//! `mainspring run approvals`.

use mainspring_api::ApprovalFilter;

use crate::connect::Session;
use crate::error::Result;
use crate::output::Output;
use crate::pages::{self, ListArgs};
use crate::views::APPROVAL;

/// Lists what waits for somebody's approval in the namespace.
pub(super) async fn list(session: &Session, args: &ListArgs, output: &Output) -> Result {
    let found = pages::collect(args, output, async |cursor, limit| {
        let filter = ApprovalFilter { namespace: Some(session.namespace.clone()), cursor, limit: Some(limit) };
        session.ask(session.client.approvals(&filter)).await
    });
    output.list(&found.await?, &APPROVAL)
}
