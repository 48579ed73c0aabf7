-- A shard of a run is unfinished.
UPDATE route_parent SET live_shard = :shard WHERE run_id = :run
