INSERT INTO job_version (job_id, definition, queue, saved_at, saved_by, saved_from, version)
SELECT r.job_id, r.definition, r.queue, r.saved_at, r.saved_by, r.saved_from, 1
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    job_id BIGINT PATH '$[0]',
    definition LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    queue VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    saved_at BIGINT PATH '$[3]',
    saved_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
    saved_from VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS r
ORDER BY r.n
