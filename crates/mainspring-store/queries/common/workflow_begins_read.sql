-- A run of a workflow that waits to be begun.
SELECT id, job_id FROM run WHERE id = :id AND state = 'queued' AND queue = 'workflow/tasks'
