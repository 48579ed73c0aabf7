-- Runs that tasks of workflow runs have started: which run's task, and which of its items, by name. Kept as long as the run is there, or
-- that of the workflow is live.
CREATE TABLE IF NOT EXISTS workflow_call (
    child BINARY(16) NOT NULL PRIMARY KEY,
    parent BINARY(16) NOT NULL,
    task VARCHAR(255) NOT NULL,
    KEY workflow_call_parent (parent)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
