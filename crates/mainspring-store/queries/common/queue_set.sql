INSERT INTO queue (name, paused, max_running, rate_count, rate_per_ms, used_us, max_waiting, revision, updated_at)
VALUES (:name, :paused, :max_running, :rate_count, :rate_per_ms, :used_us, :max_waiting, 1, :at)
ON CONFLICT (name) DO UPDATE SET
    paused = excluded.paused, max_running = excluded.max_running, rate_count = excluded.rate_count,
    rate_per_ms = excluded.rate_per_ms, used_us = excluded.used_us, max_waiting = excluded.max_waiting,
    revision = queue.revision + 1, updated_at = excluded.updated_at
