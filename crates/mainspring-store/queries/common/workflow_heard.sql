DELETE FROM workflow_inbox WHERE id IN (SELECT value FROM json_each(:messages))
