SELECT job_id FROM history WHERE id = :id
