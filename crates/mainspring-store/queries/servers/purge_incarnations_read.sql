-- Process starts and workers to which nothing refers, and since when that is known. Those at work have a fence.
SELECT number, unused_since
FROM incarnation
WHERE (unused_since IS NULL OR unused_since < :before)
    AND number NOT IN (SELECT incarnation FROM fence)
    AND number NOT IN (SELECT incarnation FROM node)
    AND number NOT IN (SELECT owner FROM shard WHERE owner IS NOT NULL)
    AND number NOT IN (SELECT incarnation FROM worker)
    AND number NOT IN (SELECT node FROM worker WHERE node IS NOT NULL)
    AND number NOT IN (SELECT claimed_by FROM idempotency_key WHERE claimed_by IS NOT NULL)
    AND number NOT IN (SELECT claimed_by FROM run WHERE claimed_by IS NOT NULL)
ORDER BY number
LIMIT :limit
