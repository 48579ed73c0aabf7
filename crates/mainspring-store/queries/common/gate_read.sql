SELECT active, held FROM job_gate WHERE job_id = :job
