INSERT INTO job_trigger (job_id, position, name, paused, jitter_ms, calendar)
VALUES (:job, :position, :name, :paused, :jitter_ms, :calendar)
RETURNING id
