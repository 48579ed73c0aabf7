-- Advances triggers that are as expected, and inserts the first run of each. Answers which were advanced, and how many
-- runs are new. There is no join but by keys, so that the plan is right for every size of batch.
WITH advanced AS (
    UPDATE trigger_state s
    SET next_fire_at = e.next, due_at = e.due, previous_fire_at = e.previous, start_at = e.start_at,
        repeat_count = e.repeat_count, times_triggered = e.times, fired_through = e.through, awaiting_run = NULL,
        batch = $13::bigint, tzdata = e.tzdata, scan_at = CASE WHEN e.leaves THEN e.due ELSE s.scan_at END
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[],
        $14::uuid[], $15::bigint[], $16::bigint[], $17::text[], $18::text[], $19::bigint[], $20::bigint[],
        $23::bigint[], $24::text[])
        AS e (id, version, expected, first, next, due, previous, start_at, repeat_count, times, through, leaves,
            run_id, job_id, job_version, state, origin, run_due, priority, tzdata, queue)
    WHERE s.id = e.id AND s.version = e.version AND s.next_fire_at = e.expected AND s.status = 'active' AND s.paused = 0
        AND (s.fired_through IS NULL OR s.fired_through < e.first) AND (e.leaves OR s.scan_at <= e.due)
    RETURNING s.id, e.first, e.run_id, e.job_id, e.job_version, e.state, e.origin, e.run_due, e.priority,
        e.queue
), born AS (
    INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at,
        claimed_at, claimed_by, attempt, priority, queue)
    SELECT run_id, job_id, job_version, id, state, origin, 0, first, run_due, $21::bigint,
        CASE WHEN state = 'running' THEN $21::bigint END, CASE WHEN state = 'running' THEN $22::bigint END,
        CASE WHEN state = 'running' THEN 1 ELSE 0 END, priority, queue
    FROM advanced
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)
SELECT (SELECT array_agg(id) FROM advanced), (SELECT count(*) FROM born)
