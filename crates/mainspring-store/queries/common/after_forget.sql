DELETE FROM job_after WHERE trigger_id = :trigger
