-- The run of a task. It counts in no gate: that of the workflow does.
INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, priority, queue, expires_at,
    input, parent_run, root_run, task, generation)
SELECT :child, job_id, :version, 'queued', 'parent', 0, fire_time, :at, :at, 0, :priority, :queue, :expires_at,
    :input, id, COALESCE(root_run, id), :task, :generation
FROM run
WHERE id = :run
