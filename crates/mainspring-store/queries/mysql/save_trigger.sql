-- Changes a trigger, or makes it again under the id of its tombstone.
INSERT INTO job_trigger (id, job_id, position, name, paused, jitter_ms, calendar)
VALUES (:id, :job, :position, :name, :paused, :jitter_ms, :calendar)
ON DUPLICATE KEY UPDATE position = VALUES(position), paused = VALUES(paused), jitter_ms = VALUES(jitter_ms),
    calendar = VALUES(calendar)
