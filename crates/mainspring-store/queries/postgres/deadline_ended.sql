-- Notes runs among these that have ended after their deadline. Parts of runs, and runs over past fire times, have none. Where no job
-- has a deadline, nothing is read.
INSERT INTO deadline_miss (run_id)
SELECT h.id
FROM (SELECT 1 FROM job_deadline LIMIT 1) AS used
CROSS JOIN LATERAL json_array_elements_text(CAST(:runs AS json)) AS e (v)
CROSS JOIN LATERAL (
    SELECT id, job_id, fire_time, ended_at FROM history
    WHERE id = CAST(e.v AS uuid) AND parent_run IS NULL AND origin NOT IN ('backfill', 'rerun') OFFSET 0) AS h
CROSS JOIN LATERAL (SELECT within_ms FROM job_deadline WHERE job_id = h.job_id OFFSET 0) AS d
WHERE h.ended_at > h.fire_time + d.within_ms
ON CONFLICT (run_id) DO NOTHING
