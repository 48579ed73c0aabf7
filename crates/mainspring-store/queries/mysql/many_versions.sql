INSERT INTO job_version (job_id, definition, queue, saved_at, version)
SELECT r.job_id, r.definition, r.queue, r.saved_at, 1
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    job_id BIGINT PATH '$[0]',
    definition LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    queue VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    saved_at BIGINT PATH '$[3]')) AS r
ORDER BY r.n
