-- The gates of jobs, as far as they have one.
SELECT job_id, active, held FROM job_gate WHERE job_id IN (SELECT value FROM json_each(:jobs))
