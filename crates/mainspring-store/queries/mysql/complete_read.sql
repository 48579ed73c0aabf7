-- Attempts under way, of these runs, locked in the order of the list.
SELECT r.id, r.attempt, r.claimed_by, r.job_id, r.trigger_id, r.gated, r.cancel_requested_at IS NOT NULL
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS w
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(w.id)
WHERE r.state = 'running'
FOR UPDATE /*!80001 OF r */
