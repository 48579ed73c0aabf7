-- What was left to runs that had just ended.
DELETE FROM workflow_inbox
WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = workflow_inbox.run_id)
ORDER BY id LIMIT :limit
