INSERT INTO job_version (job_id, version, definition, queue, saved_at)
VALUES (:job, :version, :definition, :queue, :at)
