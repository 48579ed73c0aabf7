INSERT INTO backfill (job_id, job_version, trigger_id, spec, turn, state, open_items, running_items, succeeded_items,
    failed_items, cancelled_items, skipped_items, created_at, created_by, cascade_of)
VALUES (:job, :version, :trigger, :spec, 1, 'active', :open, 0, 0, 0, 0, 0, :at, :by, :cascade)
RETURNING id
