//! Lists that come in pages.

use clap::Args;
use mainspring_api::Page;

use crate::error::Result;
use crate::output::Output;

/// The largest page that the API gives.
const PAGE_MAX: u32 = 1_000;

/// How much of a list is asked for.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Items at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// All items, however many
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl ListArgs {
    /// Everything.
    pub fn all() -> Self {
        Self { limit: u32::MAX, all: true }
    }

    /// How many items are asked for, unless it is all.
    pub fn limit(&self) -> Option<usize> {
        (!self.all).then_some(self.limit as usize)
    }
}

/// Fetches pages until there are no more or the limit is reached, and says when there is more.
///
/// # Errors
/// Whatever `fetch` reports.
pub async fn collect<T>(
    args: &ListArgs,
    output: &Output,
    mut fetch: impl AsyncFnMut(Option<String>, u32) -> Result<Page<T>>,
) -> Result<Vec<T>> {
    let wanted = if args.all { u32::MAX } else { args.limit };
    let mut items = Vec::new();
    let mut cursor = None;
    loop {
        let missing = wanted - u32::try_from(items.len()).unwrap_or(u32::MAX);
        let page = fetch(cursor, missing.min(PAGE_MAX)).await?;
        items.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(items);
        }
        if items.len() >= wanted as usize {
            output.note(format_args!("{} shown, there are more: --limit N or --all", items.len()));
            return Ok(items);
        }
    }
}
