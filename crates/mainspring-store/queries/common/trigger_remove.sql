DELETE FROM job_trigger WHERE id = :trigger
