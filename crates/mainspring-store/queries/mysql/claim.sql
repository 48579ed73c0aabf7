-- Claims runs that are locked.
UPDATE JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS new
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(new.id)
SET r.state = 'running', r.attempt = r.attempt + 1, r.claimed_at = GREATEST(:at, COALESCE(r.not_before, r.due_at)),
    r.claimed_by = :owner, r.not_before = NULL, r.reason = NULL
WHERE r.state = 'queued'
