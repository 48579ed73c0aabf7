-- The time by which the run has to be over is known from its first attempt on. For a routed run a worker is picked again.
UPDATE run
SET state = 'scheduled', not_before = :not_before, reason = 'retry_delay',
    queue = CASE WHEN queue LIKE '%/%' THEN SUBSTR(queue, 1, INSTR(queue, '/')) || 'route' ELSE queue END,
    expires_at = CASE WHEN attempt = 1 THEN :deadline ELSE expires_at END
WHERE id = :id AND state = 'running'
