-- Whether a task of a live workflow run is under way and names this run as its own.
SELECT 1
FROM workflow_task t
JOIN run r ON r.id = t.run_id
WHERE t.run_id = :run AND t.task = :task AND t.item = :item AND t.child = :child AND t.state = 'running'
