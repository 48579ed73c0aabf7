-- Numbers them in the order of the list.
INSERT INTO job_trigger (job_id, position, name, paused, jitter_ms, calendar)
SELECT r.job_id, r.position, r.name, r.paused, r.jitter_ms, r.calendar
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    job_id BIGINT PATH '$[0]',
    position BIGINT PATH '$[1]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    paused BIGINT PATH '$[3]',
    jitter_ms BIGINT PATH '$[4]',
    calendar VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS r
ORDER BY r.n
