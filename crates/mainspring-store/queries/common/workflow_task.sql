-- Where a task stands from now on.
INSERT INTO workflow_task (run_id, task, item, state, generation, child, reason, since)
VALUES (:run, :task, :item, :state, :generation, :child, :reason, :at)
ON CONFLICT (run_id, task, item) DO UPDATE
SET since = CASE WHEN workflow_task.state = excluded.state AND workflow_task.generation = excluded.generation
        THEN workflow_task.since ELSE excluded.since END,
    state = excluded.state, generation = excluded.generation, child = COALESCE(excluded.child, workflow_task.child), reason = excluded.reason
