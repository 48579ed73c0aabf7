-- The date of runs that tasks have started, by which needs of other workflows find them, and whether a backfill has made the run at the top:
-- triggers that follow a job do not follow those.
ALTER TABLE workflow_call ADD COLUMN IF NOT EXISTS job_id BIGINT;
ALTER TABLE workflow_call ADD COLUMN IF NOT EXISTS fire_time BIGINT;
ALTER TABLE workflow_call ADD COLUMN IF NOT EXISTS backfilled INTEGER NOT NULL DEFAULT 0 CHECK (backfilled IN (0, 1));
CREATE INDEX IF NOT EXISTS workflow_call_date ON workflow_call (job_id, fire_time);
