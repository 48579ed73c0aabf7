-- The gates of jobs, as far as they have one, locked.
SELECT job_id, active, held FROM job_gate WHERE job_id = ANY (ARRAY(
    SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS r (v)))
ORDER BY job_id
FOR UPDATE
