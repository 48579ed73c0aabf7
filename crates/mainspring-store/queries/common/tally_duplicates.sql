-- Instants of a trigger that fired more than once. None, unless something is broken.
SELECT COUNT(*)
FROM (
    SELECT fire_time
    FROM (
        SELECT fire_time FROM run WHERE trigger_id = :trigger AND (origin = 'schedule' OR origin = 'misfire')
        UNION ALL
        SELECT fire_time FROM history WHERE trigger_id = :trigger AND (origin = 'schedule' OR origin = 'misfire')) AS fires
    GROUP BY fire_time
    HAVING COUNT(*) > 1) AS twice
