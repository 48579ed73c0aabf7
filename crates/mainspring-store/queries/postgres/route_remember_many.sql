INSERT INTO route_memory (job_id, memory)
SELECT CAST(v ->> 0 AS bigint), v ->> 1 FROM json_array_elements(CAST(:rows AS json)) AS r (v)
ON CONFLICT (job_id) DO UPDATE SET memory = excluded.memory
