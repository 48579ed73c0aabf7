-- What waits in lines of workers, by line and job. OFFSET keeps the planner from reading the table whole.
SELECT e.line, w.job_id, w.runs
FROM json_array_elements_text(CAST(:lines AS json)) AS e (line)
CROSS JOIN LATERAL (SELECT job_id, COUNT(*) AS runs FROM run
    WHERE state = 'queued' AND queue LIKE '%/%' AND queue = e.line GROUP BY job_id OFFSET 0) AS w
