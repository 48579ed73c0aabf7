INSERT INTO route_parent (run_id, job_id, shards, live_shard) VALUES (:run, :job, :shards, :live)
