-- The date of runs that tasks have started, by which needs of other workflows find them, and whether a backfill has made the run at the top:
-- triggers that follow a job do not follow those.
ALTER TABLE workflow_call ADD COLUMN job_id INTEGER;
ALTER TABLE workflow_call ADD COLUMN fire_time INTEGER;
ALTER TABLE workflow_call ADD COLUMN backfilled INTEGER NOT NULL DEFAULT 0 CHECK (backfilled = 0 OR backfilled = 1);
CREATE INDEX workflow_call_date ON workflow_call (job_id, fire_time);
