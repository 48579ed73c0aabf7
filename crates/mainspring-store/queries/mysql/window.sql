-- A range of the due index, from a place on. `:shards` has a character for each shard, '1' for those asked for.
SELECT s.id, t.job_id, j.version, t.position, s.version, s.paused, s.next_fire_at, s.due_at, s.previous_fire_at,
    s.start_at, s.repeat_count, s.times_triggered, s.fired_through, s.status, s.awaiting_run, s.scan_at, s.shard,
    s.tzdata
FROM trigger_state s FORCE INDEX (trigger_state_scan)
STRAIGHT_JOIN job_trigger t ON t.id = s.id
STRAIGHT_JOIN job j ON j.id = t.job_id
WHERE s.scan_at <= :until AND s.scan_at >= :after_at AND (s.scan_at > :after_at OR s.id > :after_id)
    AND SUBSTRING(:shards, s.shard + 1, 1) = '1'
ORDER BY s.scan_at, s.id
LIMIT :limit
