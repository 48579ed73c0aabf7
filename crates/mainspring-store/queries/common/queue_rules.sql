SELECT name, paused, max_running, rate_count, rate_per_ms, used_us, revision, updated_at, max_waiting FROM queue ORDER BY name
