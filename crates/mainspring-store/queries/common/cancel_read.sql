SELECT job_id, state, gated, trigger_id, job_version, claimed_by IS NULL FROM run WHERE id = :id
