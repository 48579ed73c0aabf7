//! Workers, and what they are told to do.

use mainspring_api as api;
use mainspring_core::job::{HttpTask, ScriptTask, Task};
use mainspring_store::WorkerRow;

use super::{instant, nodes};
use crate::app::Inner;

/// Workers as the API shows them.
pub(crate) fn workers(app: &Inner, rows: Vec<WorkerRow>) -> Vec<api::Worker> {
    let nodes = nodes(app);
    let shown = |WorkerRow { info, heard_at, running, draining, clock_offset_ms }: WorkerRow| {
        let node = info.node.to_string();
        api::Worker {
            id: info.id.to_string(),
            name: info.name,
            queues: info.queues,
            slots: info.slots,
            running,
            draining,
            clock_offset_ms,
            labels: info.labels,
            version: info.version,
            node: nodes.iter().find(|known| known.id == node).map(|known| known.name.clone()),
            joined_at: instant(info.joined_at),
            heard_at: instant(heard_at),
        }
    };
    rows.into_iter().map(shown).collect()
}

/// A task as workers read it.
pub(crate) fn worker_task(task: &Task) -> api::WorkerTask {
    match task.clone() {
        Task::Run { script, shell } => api::WorkerTask::Run { script, shell },
        Task::Exec { argv } => api::WorkerTask::Exec { argv },
        Task::Script(ScriptTask { language, source, args, xxl_args }) => {
            api::WorkerTask::Script { language, source, args, xxl_args }
        }
        Task::Http(HttpTask { method, url, headers, body, expect, timeout_ms, verify_tls, max_redirects }) => {
            api::WorkerTask::Http { method, url, headers, body, expect, timeout_ms, verify_tls, max_redirects }
        }
        Task::Handler { name } => api::WorkerTask::Handler { name },
        // A worker of ours may take the place of an executor, under the same names.
        Task::Xxl(xxl) => api::WorkerTask::Handler { name: xxl.handler },
        // A workflow is no work of a worker: its tasks are.
        Task::Noop | Task::Workflow(_) => api::WorkerTask::Noop,
    }
}
