//! `mainspring next`.

use clap::Args;
use mainspring_api::{NextFilter, Timestamp};

use crate::connect::{self, ConnectArgs};
use crate::error::Result;
use crate::name::JobName;
use crate::output::{Output, View};
use crate::scope::ScopeArgs;
use crate::time_value::{self, Direction};
use crate::views::NEXT;

/// Show what fires next
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring next                         all triggers, 24 hours
  mainspring next nightly-backup --until 7d --tz Europe/Berlin
  mainspring next --until \"2026-03-08 18:00\" --limit 200")]
pub struct NextArgs {
    /// JOB or NAMESPACE/JOB; with it, several fire times of each trigger are listed
    #[arg(value_name = "JOB")]
    job: Option<JobName>,
    /// Up to this time: 24h, tomorrow, 2026-03-08
    #[arg(long, default_value = "24h", value_name = "TIME")]
    until: String,
    /// Fire times at most, up to 1000
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Lists fire times to come, earliest first.
///
/// # Errors
/// Whatever the server reports, and unreadable times.
pub fn run(args: NextArgs, output: &Output) -> Result {
    let until = time_value::parse(&args.until, &output.style().now(), Direction::Future)?;
    let session = args.connect.open()?;
    let namespace = match &args.job {
        Some(name) => Some(name.namespace(&session.namespace).to_owned()),
        None => args.scope.filter(&session),
    };
    let filter = NextFilter {
        namespace,
        job: args.job.map(|name| name.job),
        until: Some(Timestamp::from_millis(until.as_millisecond())),
        limit: Some(args.limit),
    };
    connect::block_on(async {
        let fires = session.ask(session.client.next_fires(&filter)).await?;
        if let ([], Some(namespace), Some(name)) = (fires.as_slice(), &filter.namespace, &filter.job)
            && session.ask(session.client.job(namespace, name)).await?.spec.triggers_in_order().is_empty()
        {
            let none = View { empty: "the job has no triggers: it runs when asked", ..NEXT };
            return output.list(&fires, &none);
        }
        args.scope.list(&session, &fires, &NEXT, output)
    })
}
