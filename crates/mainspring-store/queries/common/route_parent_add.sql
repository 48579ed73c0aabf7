INSERT INTO route_parent (run_id, job_id, shards) VALUES (:run, :job, :shards)
