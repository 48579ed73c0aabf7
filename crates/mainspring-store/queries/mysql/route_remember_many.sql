INSERT INTO route_memory (job_id, memory)
SELECT r.job, r.memory
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    job BIGINT PATH '$[0]', memory LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
ON DUPLICATE KEY UPDATE memory = VALUES(memory)
