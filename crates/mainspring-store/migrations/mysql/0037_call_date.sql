-- The date of runs that tasks have started, by which needs of other workflows find them, and whether a backfill has made the run at the top:
-- triggers that follow a job do not follow those.
ALTER TABLE workflow_call ADD COLUMN job_id BIGINT, ADD COLUMN fire_time BIGINT,
    ADD COLUMN backfilled TINYINT NOT NULL DEFAULT 0 CHECK (backfilled IN (0, 1)), ADD KEY workflow_call_date (job_id, fire_time);
