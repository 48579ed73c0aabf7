-- What tasks of workflow runs await of other workflows: a task of runs of a job, by name, or whole runs where `of_task` is empty, whose
-- dates lie in a range. `request` is what the waiting run is told with each end.
CREATE TABLE IF NOT EXISTS workflow_await (
    run_id BINARY(16) NOT NULL,
    task BIGINT NOT NULL,
    namespace VARCHAR(255) NOT NULL,
    upstream VARCHAR(255) NOT NULL,
    of_task VARCHAR(255) NOT NULL,
    first_date BIGINT NOT NULL,
    last_date BIGINT NOT NULL,
    request LONGTEXT NOT NULL,
    PRIMARY KEY (run_id, task),
    KEY workflow_await_upstream (namespace, upstream, of_task, last_date)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
