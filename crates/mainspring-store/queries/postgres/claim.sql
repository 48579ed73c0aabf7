-- An array, and no join: whatever the server believes of the table, the rows are found by their keys.
UPDATE run
SET state = 'running', attempt = attempt + 1, claimed_at = GREATEST(:at, COALESCE(not_before, due_at)), claimed_by = :owner, not_before = NULL,
    reason = NULL
WHERE id = ANY (ARRAY(
    SELECT id FROM run WHERE state = 'queued' AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%#%')
        AND due_at - priority * 60000 >= :from
    ORDER BY due_at - priority * 60000, due_at, id LIMIT :limit FOR UPDATE SKIP LOCKED))
RETURNING id, job_id, job_version, trigger_id, fire_time, due_at, attempt, input, coalesce(queue, 'default'), priority
