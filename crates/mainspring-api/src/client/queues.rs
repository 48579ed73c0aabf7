//! Queues, and limits of labels.

use super::{Client, ClientError, Precondition};
use crate::{
    LabelLimit, LabelSettings, Page, PageFilter, Queue, QueueChange, QueueHistory, QueueHistoryFilter, QueueMove,
    QueueMoved, QueuePreview, QueueSettings, QueueWaiting, QueueWaitingFilter, Reason, Run, RunMove, RunPlace, routes,
};

impl Client {
    /// Lists the queues in which runs are, that workers take from, or for which something is set, by name.
    pub async fn queues(&self) -> Result<Vec<Queue>, ClientError> {
        self.get(routes::QUEUES, &()).await
    }

    /// Returns a queue. Every name is one.
    pub async fn queue(&self, queue: &str) -> Result<Queue, ClientError> {
        self.get(&routes::path(routes::QUEUE, &[queue]), &()).await
    }

    /// Returns how a queue did over time.
    pub async fn queue_history(&self, queue: &str, filter: &QueueHistoryFilter) -> Result<QueueHistory, ClientError> {
        self.get(&routes::path(routes::QUEUE_HISTORY, &[queue]), filter).await
    }

    /// Says what waits in a queue, and why.
    pub async fn queue_waiting(&self, queue: &str, filter: &QueueWaitingFilter) -> Result<QueueWaiting, ClientError> {
        self.get(&routes::path(routes::QUEUE_WAITING, &[queue]), filter).await
    }

    /// Sets how runs leave a queue.
    pub async fn put_queue(&self, queue: &str, settings: QueueSettings, reason: &Reason) -> Result<Queue, ClientError> {
        self.put(&routes::path(routes::QUEUE, &[queue]), &settings, Precondition::None, reason).await
    }

    /// Says what other limits of a queue would do. Nothing is changed.
    pub async fn preview_queue(&self, queue: &str, settings: QueueSettings) -> Result<QueuePreview, ClientError> {
        self.act(routes::QUEUE_PREVIEW, &[queue], &settings).await
    }

    /// Pauses a queue: nothing leaves it.
    pub async fn pause_queue(&self, queue: &str, reason: &Reason) -> Result<Queue, ClientError> {
        self.act(routes::QUEUE_PAUSE, &[queue], reason).await
    }

    /// Ends the pause of a queue.
    pub async fn resume_queue(&self, queue: &str, reason: &Reason) -> Result<Queue, ClientError> {
        self.act(routes::QUEUE_RESUME, &[queue], reason).await
    }

    /// Puts runs that wait in a queue into another one. Ask again while the answer says `more`.
    pub async fn move_queue(&self, queue: &str, change: &QueueMove) -> Result<QueueMoved, ClientError> {
        self.act(routes::QUEUE_MOVE, &[queue], change).await
    }

    /// Puts a run that waits into another queue.
    pub async fn move_run(&self, run: &str, change: &RunMove) -> Result<Run, ClientError> {
        self.act(routes::RUN_MOVE, &[run], change).await
    }

    /// Gives a run that waits another place in its queue.
    pub async fn place_run(&self, run: &str, change: &RunPlace) -> Result<Run, ClientError> {
        self.act(routes::RUN_PLACE, &[run], change).await
    }

    /// Cancels a run if it still waits in its queue.
    pub async fn drop_run(&self, run: &str, reason: &Reason) -> Result<Run, ClientError> {
        self.act(routes::RUN_DROP, &[run], reason).await
    }

    /// Lists what people have changed about a queue, newest first.
    pub async fn queue_changes(&self, queue: &str, filter: &PageFilter) -> Result<Page<QueueChange>, ClientError> {
        self.get(&routes::path(routes::QUEUE_CHANGES, &[queue]), filter).await
    }

    /// Lists the labels of jobs whose runs are limited.
    pub async fn labels(&self) -> Result<Vec<LabelLimit>, ClientError> {
        self.get(routes::LABELS, &()).await
    }

    /// Limits the runs of jobs and tasks with a label `NAME=VALUE`.
    pub async fn put_label(&self, label: &str, settings: LabelSettings) -> Result<LabelLimit, ClientError> {
        self.put(&routes::path(routes::LABEL, &[label]), &settings, Precondition::None, &()).await
    }

    /// Removes the limit of a label.
    pub async fn delete_label(&self, label: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::LABEL, &[label]), Precondition::None, &()).await
    }
}
