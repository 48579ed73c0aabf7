-- Final runs of a job beyond the newest ones.
SELECT id FROM history WHERE job_id = :job ORDER BY id DESC LIMIT :limit OFFSET :keep
