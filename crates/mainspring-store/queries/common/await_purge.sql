-- What runs awaited that are over or gone.
DELETE FROM workflow_await WHERE (SELECT r.id FROM run r WHERE r.id = workflow_await.run_id) IS NULL
