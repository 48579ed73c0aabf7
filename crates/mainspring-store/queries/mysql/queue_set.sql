INSERT INTO queue (name, paused, max_running, rate_count, rate_per_ms, used_us, max_waiting, revision, updated_at)
VALUES (:name, :paused, :max_running, :rate_count, :rate_per_ms, :used_us, :max_waiting, 1, :at)
ON DUPLICATE KEY UPDATE
    paused = VALUES(paused), max_running = VALUES(max_running), rate_count = VALUES(rate_count),
    rate_per_ms = VALUES(rate_per_ms), used_us = VALUES(used_us), max_waiting = VALUES(max_waiting),
    revision = revision + 1, updated_at = VALUES(updated_at)
