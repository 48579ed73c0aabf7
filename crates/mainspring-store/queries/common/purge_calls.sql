-- What is known of runs that are gone, unless the workflow run that started them may ask for them again.
DELETE FROM workflow_call
WHERE (SELECT r.id FROM run r WHERE r.id = workflow_call.child) IS NULL
    AND (SELECT h.id FROM history h WHERE h.id = workflow_call.child) IS NULL
    AND (SELECT p.id FROM run p WHERE p.id = workflow_call.parent) IS NULL
