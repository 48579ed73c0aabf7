-- Notes for which task of which workflow run a run was started.
INSERT INTO workflow_call (child, parent, task)
VALUES (:child, :parent, :task)
