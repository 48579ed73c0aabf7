-- Ids of runs of a job that tasks of workflow runs have started for dates of a range.
SELECT child
FROM workflow_call
WHERE job_id = :job AND fire_time >= :first AND fire_time <= :last
ORDER BY child
