-- Jobs that are gone and keep something: the end of a run was recorded while its job was deleted.
-- The offset keeps PostgreSQL from a join that reads the other table whole.
SELECT job_id
FROM job_data d
WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.id = d.job_id AND j.deleted_at IS NULL LIMIT 1 OFFSET 0)
LIMIT :limit
