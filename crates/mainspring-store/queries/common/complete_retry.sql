-- The time by which the run has to be over is known from its first attempt on.
UPDATE run
SET state = 'scheduled', not_before = :not_before, reason = 'retry_delay',
    expires_at = CASE WHEN attempt = 1 THEN :deadline ELSE expires_at END
WHERE id = :id AND state = 'running'
