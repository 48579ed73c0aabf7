INSERT INTO queue (name, paused, max_running, rate_count, rate_per_ms, used_us, revision, updated_at)
VALUES (:name, :paused, :max_running, :rate_count, :rate_per_ms, :used_us, 1, :at)
ON DUPLICATE KEY UPDATE
    paused = VALUES(paused), max_running = VALUES(max_running), rate_count = VALUES(rate_count),
    rate_per_ms = VALUES(rate_per_ms), used_us = VALUES(used_us), revision = revision + 1, updated_at = VALUES(updated_at)
