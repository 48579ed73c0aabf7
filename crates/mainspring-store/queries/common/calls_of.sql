-- Ids of runs that tasks of a workflow run have started, newest first. What else is asked of them is told by the runs.
SELECT child
FROM workflow_call
WHERE parent = :parent AND child >= :from AND child < :to
ORDER BY child DESC
LIMIT :limit
