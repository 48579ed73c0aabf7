SELECT id, child, state, request
FROM workflow_inbox
WHERE run_id = :run AND (child IS NOT NULL OR request IS NOT NULL)
ORDER BY id
LIMIT :limit
