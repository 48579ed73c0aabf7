SELECT job_id, state, gated, trigger_id FROM run WHERE id = :id
