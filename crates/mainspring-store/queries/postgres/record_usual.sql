-- Advances triggers that are as expected, and inserts their runs. Answers the triggers that were advanced, and the runs
-- of theirs that were there before.
WITH entry AS (
    SELECT *
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[])
        AS e (id, version, expected, first, next, due, previous, start_at, repeat_count, times, through, leaves)
), advanced AS (
    UPDATE trigger_state s
    SET next_fire_at = e.next, due_at = e.due, previous_fire_at = e.previous, start_at = e.start_at,
        repeat_count = e.repeat_count, times_triggered = e.times, fired_through = e.through, awaiting_run = NULL,
        batch = $13::bigint, scan_at = CASE WHEN e.leaves THEN e.due ELSE s.scan_at END
    FROM entry e
    WHERE s.id = e.id AND s.version = e.version AND s.next_fire_at = e.expected AND s.status = 'active' AND s.paused = 0
        AND (s.fired_through IS NULL OR s.fired_through < e.first) AND (e.leaves OR s.scan_at <= e.due)
    RETURNING s.id
), new AS (
    SELECT *
    FROM unnest($14::uuid[], $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::bigint[],
        $21::bigint[], $22::bigint[])
        AS r (id, trigger_id, job_id, job_version, state, origin, fire_time, due_at, priority)
    WHERE trigger_id IN (SELECT id FROM advanced)
), born AS (
    INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at,
        claimed_at, claimed_by, attempt, priority)
    SELECT id, job_id, job_version, trigger_id, state, origin, 0, fire_time, due_at, $23::bigint,
        CASE WHEN state = 'running' THEN $23::bigint END, CASE WHEN state = 'running' THEN $24::bigint END,
        CASE WHEN state = 'running' THEN 1 ELSE 0 END, priority
    FROM new
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)
SELECT (SELECT array_agg(id) FROM advanced),
    (SELECT array_agg(n.id) FROM new n WHERE NOT EXISTS (SELECT 1 FROM born b WHERE b.id = n.id))
