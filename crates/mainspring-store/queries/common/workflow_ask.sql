-- Leaves a request to a run that is locked. Zero rows: it is no live run of a workflow.
INSERT INTO workflow_inbox (run_id, request)
SELECT id, :request FROM run WHERE id = :run AND state = 'running' AND claimed_by IS NULL
