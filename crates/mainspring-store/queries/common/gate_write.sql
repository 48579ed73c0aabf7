INSERT INTO job_gate (job_id, active, held) VALUES (:job, :active, :held)
ON CONFLICT (job_id) DO UPDATE SET active = excluded.active, held = excluded.held,
    version = job_gate.version + 1
