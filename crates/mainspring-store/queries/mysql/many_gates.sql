INSERT INTO job_gate (job_id, active, held)
SELECT r.job_id, 0, 0
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    job_id BIGINT PATH '$[0]')) AS r
ORDER BY r.n
