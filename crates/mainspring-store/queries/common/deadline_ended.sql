-- Notes runs among these that have ended after their deadline. Parts of runs, and runs over past fire times, have none. Where no job
-- has a deadline, nothing is read.
INSERT INTO deadline_miss (run_id)
SELECT h.id
FROM (SELECT 1 FROM job_deadline LIMIT 1) AS used
CROSS JOIN json_each(:runs) AS e
CROSS JOIN history h ON h.id = unhex(e.value)
CROSS JOIN job_deadline d ON d.job_id = h.job_id
WHERE h.parent_run IS NULL AND h.origin NOT IN ('backfill', 'rerun') AND h.ended_at > h.fire_time + d.within_ms
ON CONFLICT (run_id) DO NOTHING
