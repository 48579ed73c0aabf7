-- Notes runs among these that have ended after their deadline. Parts of runs, and runs over past fire times, have none. Where no job
-- has a deadline, nothing is read.
INSERT IGNORE INTO deadline_miss (run_id)
SELECT h.id
FROM (SELECT 1 AS one FROM job_deadline LIMIT 1) AS used
STRAIGHT_JOIN JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(e.id)
STRAIGHT_JOIN job_deadline d FORCE INDEX (PRIMARY) ON d.job_id = h.job_id
WHERE h.parent_run IS NULL AND h.origin NOT IN ('backfill', 'rerun') AND h.ended_at > h.fire_time + d.within_ms
