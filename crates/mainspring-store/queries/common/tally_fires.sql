SELECT trigger_id, COUNT(*), COUNT(DISTINCT fire_time), MIN(fire_time), MAX(fire_time)
FROM (
    SELECT trigger_id, fire_time, origin FROM run
    UNION ALL
    SELECT trigger_id, fire_time, origin FROM history) AS fires
WHERE trigger_id IS NOT NULL AND (origin = 'schedule' OR origin = 'misfire')
GROUP BY trigger_id
ORDER BY trigger_id
