SELECT changed FROM job_lane WHERE job_id = 0
