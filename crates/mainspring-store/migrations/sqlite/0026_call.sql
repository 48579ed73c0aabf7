-- Runs that tasks of workflow runs have started: which run's task, and which of its items, by name. Kept as long as the run is there, or
-- that of the workflow is live.
CREATE TABLE workflow_call (
    child BLOB NOT NULL PRIMARY KEY,
    parent BLOB NOT NULL,
    task TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_call_parent ON workflow_call (parent);
