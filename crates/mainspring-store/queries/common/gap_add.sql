INSERT INTO fire_gap (job_id, trigger_id, at, first_at, last_at, count, outcome, reason, policy)
VALUES (:job, :trigger, :at, :first, :last, :count, :outcome, :reason, :policy)
