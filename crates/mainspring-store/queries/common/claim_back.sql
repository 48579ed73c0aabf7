-- Takes a claim back, in the transaction that made it. What comes after another attempt still comes after it.
UPDATE run
SET state = 'queued', not_before = CASE WHEN attempt > 1 THEN claimed_at END, attempt = attempt - 1, claimed_at = NULL,
    claimed_by = NULL, queue = :queue
WHERE id = :id AND state = 'running'
