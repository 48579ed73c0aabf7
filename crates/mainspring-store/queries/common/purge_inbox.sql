-- What was left to runs that had just ended.
DELETE FROM workflow_inbox WHERE (SELECT r.id FROM run r WHERE r.id = workflow_inbox.run_id) IS NULL
