-- Runs that tasks of workflow runs have started: which run's task, and which of its items, by name. Kept as long as the run is there, or
-- that of the workflow is live.
CREATE TABLE IF NOT EXISTS workflow_call (
    child UUID NOT NULL PRIMARY KEY,
    parent UUID NOT NULL,
    task TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS workflow_call_parent ON workflow_call (parent);
