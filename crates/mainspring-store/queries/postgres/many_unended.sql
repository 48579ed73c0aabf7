-- Runs of jobs that no worker has: 1 with those of workflows that have begun.
SELECT job_id, CASE WHEN state = 'running' THEN 1 ELSE 0 END, id
FROM run
WHERE job_id = ANY (ARRAY(SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS k (v)))
    AND (state <> 'running' OR claimed_by IS NULL)
