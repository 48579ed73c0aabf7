INSERT INTO job_version (job_id, version, definition, queue, saved_at, saved_by, saved_from)
VALUES (:job, :version, :definition, :queue, :at, :by, :from)
