-- Whether a run still waits for this attempt to be followed by another, and has waited for too long.
SELECT 1 FROM run WHERE id = :id AND attempt = :attempt AND state <> 'running' AND expires_at <= :at
