-- Unfinished runs whose deadline has passed and was not noted. Ids begin with the fire time: none from `:bound` on can be late.
SELECT r.id
FROM run r
JOIN job_deadline d ON d.job_id = r.job_id
LEFT JOIN deadline_miss m ON m.run_id = r.id
WHERE r.id < :bound AND r.parent_run IS NULL AND r.origin NOT IN ('backfill', 'rerun') AND r.fire_time + d.within_ms <= :at AND m.run_id IS NULL
ORDER BY r.id
LIMIT :limit
