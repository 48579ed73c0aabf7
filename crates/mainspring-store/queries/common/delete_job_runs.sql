SELECT id FROM run WHERE job_id = :job AND state <> 'running' ORDER BY id
