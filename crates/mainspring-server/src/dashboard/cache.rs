//! Dashboards that were made, to be shown again.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_api::Dashboard;
use mainspring_core::Timestamp;

use super::failing::Failing;
use super::peaks::Peaks;
use super::series::Range;

/// What a dashboard is of: a range, and a namespace or all.
pub(super) type Key = (Range, Option<String>);

/// What was shown last.
#[derive(Default)]
pub(crate) struct Cache(pub(super) tokio::sync::Mutex<Kept>);

#[derive(Default)]
pub(super) struct Kept {
    pub(super) dashboards: BTreeMap<Key, (Timestamp, Arc<Dashboard>)>,
    pub(super) peaks: BTreeMap<Option<String>, (Timestamp, Peaks)>,
    pub(super) failing: Failing,
}
