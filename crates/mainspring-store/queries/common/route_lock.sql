-- One transaction at a time picks workers.
SELECT job_id FROM route_memory WHERE job_id = 0
