-- What is known of jobs that are gone.
DELETE FROM job_lane
WHERE job_id <> 0 AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = job_lane.job_id AND j.deleted_at IS NULL)
