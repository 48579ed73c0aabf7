-- Leaves a fire for each trigger that waits for the end of one of these runs. Parts of runs, runs over past fire times, and what these
-- have started, start nothing. Where no trigger waits for anything, nothing is read.
INSERT INTO after_inbox (trigger_id, cause, fire_time, ended_at)
SELECT a.trigger_id, h.id, h.fire_time, h.ended_at
FROM (SELECT 1 AS one FROM job_after LIMIT 1) AS used
STRAIGHT_JOIN JSON_TABLE(:runs, '$[*]' COLUMNS (n FOR ORDINALITY, id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN history h FORCE INDEX (PRIMARY) ON h.id = UNHEX(e.id)
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = h.job_id
STRAIGHT_JOIN job_after a FORCE INDEX (PRIMARY) ON a.namespace = j.namespace AND a.upstream = j.name
WHERE h.parent_run IS NULL AND h.origin <> 'backfill' AND (a.outcome = h.state OR a.outcome = 'any')
    AND NOT EXISTS (SELECT 1 FROM workflow_call c WHERE c.child = h.id AND c.backfilled = 1)
ORDER BY e.n, a.trigger_id
