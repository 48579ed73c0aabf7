INSERT INTO job_deadline (job_id, within_ms) VALUES (:job, :within)
