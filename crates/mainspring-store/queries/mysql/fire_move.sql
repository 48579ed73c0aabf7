-- Advances triggers that are locked and as expected.
UPDATE JSON_TABLE(:entries, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]', due BIGINT PATH '$[4]', leaves BIGINT PATH '$[5]', next_at BIGINT PATH '$[6]',
    previous BIGINT PATH '$[7]', start_at BIGINT PATH '$[8]', repeats BIGINT PATH '$[9]', times BIGINT PATH '$[10]',
    through BIGINT PATH '$[11]', tzdata BIGINT PATH '$[12]')) AS e
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = e.id
SET s.next_fire_at = e.next_at, s.due_at = e.due, s.previous_fire_at = e.previous, s.start_at = e.start_at,
    s.repeat_count = e.repeats, s.times_triggered = e.times, s.fired_through = e.through, s.awaiting_run = NULL,
    s.batch = :batch, s.tzdata = e.tzdata,
    s.scan_at = CASE WHEN e.leaves = 1 THEN e.due ELSE s.scan_at END
