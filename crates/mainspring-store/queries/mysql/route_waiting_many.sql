-- What waits in lines of workers, by line and job.
SELECT e.line, r.job_id, COUNT(*)
FROM JSON_TABLE(:lines, '$[*]' COLUMNS (line VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS e
STRAIGHT_JOIN run r FORCE INDEX (run_routed) ON r.routed_line = e.line
GROUP BY e.line, r.job_id
