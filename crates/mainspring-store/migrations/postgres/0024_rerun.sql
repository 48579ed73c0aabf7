-- The newest run that repeats one of a workflow. The repeating run has its row here before it begins, at turn 0.
ALTER TABLE workflow_run ADD COLUMN IF NOT EXISTS rerun_as uuid;
