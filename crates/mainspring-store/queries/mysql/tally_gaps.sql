SELECT trigger_id, CAST(COALESCE(SUM(CASE WHEN outcome = 'missed' THEN count END), 0) AS SIGNED),
    CAST(COALESCE(SUM(CASE WHEN outcome = 'suppressed' THEN count END), 0) AS SIGNED), MIN(first_at), MAX(last_at)
FROM fire_gap
GROUP BY trigger_id
ORDER BY trigger_id
