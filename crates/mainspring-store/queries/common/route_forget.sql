DELETE FROM route_memory WHERE job_id = :job
