-- Inserts further runs of triggers that were advanced. Answers how many are new.
WITH born AS (
    INSERT INTO run (id, job_id, job_version, trigger_id, state, origin, gated, fire_time, due_at, created_at,
        claimed_at, claimed_by, attempt, priority, queue)
    SELECT id, job_id, job_version, trigger_id, state, origin, 0, fire_time, due_at, $10::bigint,
        CASE WHEN state = 'running' THEN $10::bigint END, CASE WHEN state = 'running' THEN $11::bigint END,
        CASE WHEN state = 'running' THEN 1 ELSE 0 END, priority, queue
    FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
        $8::bigint[], $9::bigint[], $12::text[])
        AS r (id, trigger_id, job_id, job_version, state, origin, fire_time, due_at, priority, queue)
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)
SELECT count(*) FROM born
