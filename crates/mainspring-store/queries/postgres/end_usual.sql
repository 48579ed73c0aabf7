-- Moves runs to history that are running, at their attempt, for who says so, and count in no gate. Answers them.
-- An id stands in an array, so that there is no other way to join than by keys: where a vacuum has found a single row among many dead ones, a
-- server believes that reading all of an index costs a page.
WITH ended AS (
    SELECT *
    FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[],
        $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::bigint[])
        AS e (run, at_attempt, final_state, started, ended, ended_as, why, result, code, ended_by, error_word, error_text,
            holder)
), gone AS (
    DELETE FROM run r
    USING ended e
    WHERE r.id = ANY (ARRAY[e.run]) AND r.state = 'running' AND r.attempt = e.at_attempt AND r.claimed_by = e.holder AND r.gated = 0
    RETURNING r.*, e.*
), kept AS (
    INSERT INTO history (id, job_id, job_version, trigger_id, state, origin, fire_time, due_at, created_at,
        claimed_at, started_at, ended_at, attempt, outcome, priority, queue, not_before, cancel_requested_at, reason,
        input, output, exit_code, signal, error_code, error, rerun_of, cause, parent_run, root_run, task, generation,
        logical_date, data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message,
        claimed_by)
    SELECT id, job_id, job_version, trigger_id, final_state, origin, fire_time, due_at, created_at,
        claimed_at, started, ended, attempt, ended_as, priority, queue, not_before, cancel_requested_at,
        CASE WHEN final_state = 'cancelled' THEN reason ELSE why END,
        input, result, code, ended_by, error_word, error_text, rerun_of, cause, parent_run, root_run, task, generation,
        logical_date, data_start, data_end, shard_index, shard_total, target_node, dispatch_code, dispatch_message,
        CASE WHEN ended_as <> 'lost' THEN claimed_by END
    FROM gone
    RETURNING id
)
SELECT array_agg(id) FROM kept
