DELETE FROM job_gate WHERE job_id = :job
