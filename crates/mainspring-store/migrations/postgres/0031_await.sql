-- What tasks of workflow runs await of other workflows: a task of runs of a job, by name, or whole runs where `of_task` is empty, whose
-- dates lie in a range. `request` is what the waiting run is told with each end.
CREATE TABLE IF NOT EXISTS workflow_await (
    run_id UUID NOT NULL,
    task BIGINT NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C" NOT NULL,
    of_task TEXT COLLATE "C" NOT NULL,
    first_date BIGINT NOT NULL,
    last_date BIGINT NOT NULL,
    request TEXT NOT NULL,
    PRIMARY KEY (run_id, task)
);
CREATE INDEX IF NOT EXISTS workflow_await_upstream ON workflow_await (namespace, upstream, of_task, last_date);
