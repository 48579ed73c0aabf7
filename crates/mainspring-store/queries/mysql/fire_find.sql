-- Locks the triggers that are as expected, as fire_advance and fire_leave ask, and that nobody else has locked. Answers
-- them.
SELECT s.id
FROM JSON_TABLE(:entries, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]', version BIGINT PATH '$[1]', expected BIGINT PATH '$[2]', first_at BIGINT PATH '$[3]',
    due BIGINT PATH '$[4]', leaves BIGINT PATH '$[5]')) AS e
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = e.id
WHERE s.version = e.version AND s.next_fire_at = e.expected AND s.status = 'active' AND s.paused = 0
    AND (s.fired_through IS NULL OR s.fired_through < e.first_at) AND (e.leaves = 1 OR s.scan_at <= e.due)
FOR UPDATE /*!80001 OF s */ SKIP LOCKED
