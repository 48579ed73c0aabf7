INSERT INTO job_gate (job_id, active, held) VALUES (:job, 0, 0) ON CONFLICT (job_id) DO NOTHING
