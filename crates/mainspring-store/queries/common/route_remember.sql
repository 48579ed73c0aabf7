INSERT INTO route_memory (job_id, memory) VALUES (:job, :memory)
ON CONFLICT (job_id) DO UPDATE SET memory = excluded.memory
