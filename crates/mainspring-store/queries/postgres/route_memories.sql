-- What the strategies of jobs remember, as far as they do.
SELECT job_id, memory FROM route_memory WHERE job_id = ANY (ARRAY(
    SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS r (v)))
