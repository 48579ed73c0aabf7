UPDATE run
SET state = 'running', attempt = attempt + 1, claimed_at = MAX(:at, COALESCE(not_before, due_at)), claimed_by = :owner, not_before = NULL,
    reason = NULL
WHERE id = :id AND state = 'queued'
