SELECT b.id, b.job_id, j.namespace, j.name, b.job_version, b.trigger_id, b.spec, b.turn, b.state, b.reason, b.open_items,
    b.running_items, b.succeeded_items, b.failed_items, b.cancelled_items, b.skipped_items, b.created_at, b.created_by, b.ended_at, b.cascade_of
FROM backfill b
JOIN job j ON j.id = b.job_id
WHERE b.id = :id
