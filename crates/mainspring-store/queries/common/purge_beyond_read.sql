-- Final runs of a job beyond the newest ones. How a run ends is seen from its shards, and the runs of
-- its tasks go with it.
SELECT id
FROM history
WHERE job_id = :job AND task IS NULL AND (SELECT r.id FROM run r WHERE r.id = history.parent_run) IS NULL
ORDER BY id DESC
LIMIT :limit OFFSET :keep
