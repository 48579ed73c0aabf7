SELECT r.id, r.job_id, j.namespace, j.name, r.job_version, r.trigger_id, COALESCE(t.name, b.name), r.state,
    r.origin,
    r.fire_time, r.due_at, r.created_at, r.claimed_at, a.started_at, a.ended_at, r.attempt, COALESCE(r.queue, v.queue, 'default'),
    r.priority, r.not_before, r.cancel_requested_at, r.reason, r.input, NULL, a.exit_code, a.signal, a.error_code, a.error,
    r.rerun_of, NULL, r.expires_at,
    r.parent_run, r.shard_index, r.shard_total, r.task, r.cause, c.parent, c.task, x.name
FROM run r
JOIN job j ON j.id = r.job_id
LEFT JOIN job_version v ON v.job_id = r.job_id AND v.version = r.job_version
LEFT JOIN job_trigger t ON t.id = r.trigger_id
LEFT JOIN tombstone b ON b.trigger_id = r.trigger_id
LEFT JOIN attempt a ON a.run_id = r.id AND a.attempt = r.attempt
LEFT JOIN workflow_call c ON c.child = r.id
LEFT JOIN executor x ON x.number = r.claimed_by AND r.state = 'running'
WHERE r.id = :id
