-- Process starts and workers to which nothing refers, and since when that is known. The last process start is the one at work.
SELECT number, unused_since
FROM incarnation
WHERE (unused_since IS NULL OR unused_since < :before)
    AND number <> (SELECT COALESCE(MAX(number), 0) FROM incarnation WHERE started_at IS NOT NULL)
    AND number NOT IN (SELECT incarnation FROM worker)
    AND number NOT IN (SELECT node FROM worker WHERE node IS NOT NULL)
    AND number NOT IN (SELECT claimed_by FROM idempotency_key WHERE claimed_by IS NOT NULL)
    AND number NOT IN (SELECT claimed_by FROM run WHERE claimed_by IS NOT NULL)
ORDER BY number
LIMIT :limit
