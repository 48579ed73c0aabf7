-- Takes a claim back, in the transaction that made it.
UPDATE run
SET state = 'queued', attempt = attempt - 1, claimed_at = NULL, claimed_by = NULL, queue = :queue
WHERE id = :id AND state = 'running'
