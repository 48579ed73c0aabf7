SELECT 1 FROM workflow_await LIMIT 1
