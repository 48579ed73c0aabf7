-- Waits for another transaction that makes it first. Zero rows: it has.
INSERT IGNORE INTO job_gate (job_id, active, held) VALUES (:job, 0, 0)
