INSERT INTO backfill_item (backfill_id, seq, trigger_id, fire_time, action, state, rerun_of)
SELECT :id, r.seq, :trigger, r.fire_time, r.action, 'open', UNHEX(r.rerun_of)
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    seq BIGINT PATH '$[0]',
    fire_time BIGINT PATH '$[1]',
    action VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    rerun_of CHAR(32) PATH '$[3]')) AS r
