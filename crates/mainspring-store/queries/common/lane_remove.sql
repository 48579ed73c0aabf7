DELETE FROM job_lane WHERE job_id = :job
