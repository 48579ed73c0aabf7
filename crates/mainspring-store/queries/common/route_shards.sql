SELECT shards FROM route_parent WHERE run_id = :run
