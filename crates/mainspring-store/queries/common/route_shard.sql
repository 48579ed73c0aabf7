-- A shard of a run, in the line of its worker. It counts in no gate: its run does.
INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue,
    expires_at, input, parent_run, shard_index, shard_total)
SELECT :shard, job_id, job_version, 'queued', 'parent', 0, fire_time, due_at, :at, 0, priority, :line,
    expires_at, input, id, :index, :total
FROM run
WHERE id = :id
