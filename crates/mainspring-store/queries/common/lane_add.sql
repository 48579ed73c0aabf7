INSERT INTO job_lane (job_id, lane, line, changed) VALUES (:job, :lane, :line, :changed)
