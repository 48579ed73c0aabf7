SELECT MIN(within_ms) FROM job_deadline
