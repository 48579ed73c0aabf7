SELECT id FROM trigger_state WHERE id IN (SELECT id FROM job_trigger WHERE job_id = :job) ORDER BY id
