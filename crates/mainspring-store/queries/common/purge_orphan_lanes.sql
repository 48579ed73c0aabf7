-- What is known of jobs that are gone.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
DELETE FROM job_lane
WHERE job_id <> 0 AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = job_lane.job_id AND j.deleted_at IS NULL LIMIT 1 OFFSET 0)
