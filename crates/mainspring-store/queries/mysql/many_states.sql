INSERT INTO trigger_state (id, shard, paused, status, next_fire_at, due_at, scan_at, previous_fire_at, start_at, repeat_count, times_triggered, fired_through, awaiting_run, tzdata, version)
SELECT r.id, r.shard, r.paused, r.status, r.next_fire_at, r.due_at, r.scan_at, r.previous_fire_at, r.start_at, r.repeat_count, r.times_triggered, r.fired_through, UNHEX(r.awaiting_run), r.tzdata, 1
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    id BIGINT PATH '$[0]',
    shard BIGINT PATH '$[1]',
    paused BIGINT PATH '$[2]',
    status VARCHAR(16) PATH '$[3]',
    next_fire_at BIGINT PATH '$[4]',
    due_at BIGINT PATH '$[5]',
    scan_at BIGINT PATH '$[6]',
    previous_fire_at BIGINT PATH '$[7]',
    start_at BIGINT PATH '$[8]',
    repeat_count BIGINT PATH '$[9]',
    times_triggered BIGINT PATH '$[10]',
    fired_through BIGINT PATH '$[11]',
    awaiting_run CHAR(32) PATH '$[12]',
    tzdata BIGINT PATH '$[13]')) AS r
ORDER BY r.n
