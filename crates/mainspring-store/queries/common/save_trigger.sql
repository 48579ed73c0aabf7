-- Changes a trigger, or makes it again under the id of its tombstone.
INSERT INTO job_trigger (id, job_id, position, name, paused, jitter_ms, calendar)
VALUES (:id, :job, :position, :name, :paused, :jitter_ms, :calendar)
ON CONFLICT (id) DO UPDATE SET position = excluded.position, paused = excluded.paused, jitter_ms = excluded.jitter_ms,
    calendar = excluded.calendar
