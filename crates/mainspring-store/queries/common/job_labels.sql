SELECT name, value FROM job_label WHERE job_id = :job
