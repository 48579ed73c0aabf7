-- When a job fires next.
SELECT MIN(s.next_fire_at)
FROM job_trigger t
JOIN trigger_state s ON s.id = t.id
WHERE t.job_id = :job AND s.paused = 0 AND s.status = 'active'
