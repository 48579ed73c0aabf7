-- The runs that triggers await, locked in the order of the list.
SELECT s.id, s.awaiting_run
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = r.id
WHERE s.status = 'active' AND s.awaiting_run IS NOT NULL
FOR UPDATE /*!80001 OF s */
