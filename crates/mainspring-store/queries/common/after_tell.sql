-- Leaves a fire for each trigger that waits for the end of one of these runs. Parts of runs, runs over past fire times, and what these
-- have started, start nothing. Where no trigger waits for anything, nothing is read.
INSERT INTO after_inbox (trigger_id, cause, fire_time, ended_at)
SELECT a.trigger_id, h.id, h.fire_time, h.ended_at
FROM (SELECT 1 FROM job_after LIMIT 1) AS used
CROSS JOIN json_each(:runs) AS e
CROSS JOIN history h ON h.id = unhex(e.value)
CROSS JOIN job j ON j.id = h.job_id
CROSS JOIN job_after a ON a.namespace = j.namespace AND a.upstream = j.name
WHERE h.parent_run IS NULL AND h.origin <> 'backfill' AND (a.outcome = h.state OR a.outcome = 'any')
    AND NOT EXISTS (SELECT 1 FROM workflow_call c WHERE c.child = h.id AND c.backfilled = 1)
