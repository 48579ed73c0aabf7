-- Jobs that are gone and have a lane. Row 0 counts the changes.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT job_id
FROM job_lane l
WHERE job_id <> 0
    AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = l.job_id AND j.deleted_at IS NULL LIMIT 1 OFFSET 0)
LIMIT :limit
