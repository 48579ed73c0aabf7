//! `mainspring run approvals`.

use clap::Args;
use mainspring_api::ApprovalFilter;

use crate::connect::Session;
use crate::error::Result;
use crate::output::Output;
use crate::pages::{self, ListArgs};
use crate::scope::ScopeArgs;
use crate::views::APPROVAL;

/// Of which namespaces, and how many.
#[derive(Debug, Args)]
pub(super) struct ApprovalsArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    list: ListArgs,
}

/// Lists what waits for somebody's approval.
pub(super) async fn list(session: &Session, args: &ApprovalsArgs, output: &Output) -> Result {
    let found = pages::collect(&args.list, output, async |cursor, limit| {
        let filter = ApprovalFilter { namespace: args.scope.filter(session), cursor, limit: Some(limit) };
        session.ask(session.client.approvals(&filter)).await
    });
    args.scope.list(session, &found.await?, &APPROVAL, output)
}
