INSERT INTO job_gate (job_id, active, held) VALUES (:job, :active, :held)
ON DUPLICATE KEY UPDATE active = VALUES(active), held = VALUES(held), version = version + 1
