INSERT INTO job_label (job_id, name, value) VALUES (:job, :name, :value)
