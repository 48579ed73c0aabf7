-- Begins a run of a workflow, which nobody holds. Zero rows: it waits no more.
UPDATE run SET state = 'running', attempt = 1, claimed_at = :at, expires_at = NULL
WHERE id = :id AND state = 'queued' AND queue = 'workflow/tasks'
