-- Locks what nobody else has locked.
SELECT job_id FROM job_gate WHERE job_id = ANY (ARRAY(
    SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:rows AS json)) AS r (v)))
ORDER BY job_id
FOR UPDATE SKIP LOCKED
