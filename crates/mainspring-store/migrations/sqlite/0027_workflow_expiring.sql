-- When the time of a live run of a workflow is over, if it is limited; -1 once it is. Absent where it is not, and at the end of the run.
ALTER TABLE workflow_run ADD COLUMN expires_at INTEGER;
CREATE INDEX workflow_expiring ON workflow_run (expires_at, run_id) WHERE expires_at > 0;
