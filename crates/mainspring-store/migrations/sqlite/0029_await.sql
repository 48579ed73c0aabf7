-- What tasks of workflow runs await of other workflows: a task of runs of a job, by name, or whole runs where `of_task` is empty, whose
-- dates lie in a range. `request` is what the waiting run is told with each end.
CREATE TABLE workflow_await (
    run_id BLOB NOT NULL,
    task INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    upstream TEXT NOT NULL,
    of_task TEXT NOT NULL,
    first_date INTEGER NOT NULL,
    last_date INTEGER NOT NULL,
    request TEXT NOT NULL,
    PRIMARY KEY (run_id, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_await_upstream ON workflow_await (namespace, upstream, of_task, last_date);
