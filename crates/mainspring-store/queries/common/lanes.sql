SELECT job_id, lane, line, changed
FROM job_lane
WHERE changed > :after AND job_id <> 0
ORDER BY changed
LIMIT :limit
