-- Events that no reader has seen.
SELECT id FROM event WHERE seq IS NULL ORDER BY id LIMIT 10000
