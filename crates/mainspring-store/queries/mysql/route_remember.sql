INSERT INTO route_memory (job_id, memory) VALUES (:job, :memory) ON DUPLICATE KEY UPDATE memory = VALUES(memory)
