SELECT name, paused, max_running, rate_count, rate_per_ms, used_us, revision FROM queue WHERE name = :name
