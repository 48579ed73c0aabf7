INSERT INTO job_label (job_id, name, value)
SELECT r.job_id, r.name, r.value
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    job_id BIGINT PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    value VARCHAR(1024) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
ORDER BY r.n
