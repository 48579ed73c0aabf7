-- Runs of workflows whose time is over.
SELECT run_id FROM workflow_run WHERE expires_at > 0 AND expires_at <= :at ORDER BY expires_at, run_id LIMIT :limit
