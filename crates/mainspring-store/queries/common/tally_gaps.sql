SELECT trigger_id, COALESCE(SUM(CASE WHEN outcome = 'missed' THEN count END), 0),
    COALESCE(SUM(CASE WHEN outcome = 'suppressed' THEN count END), 0), MIN(first_at), MAX(last_at)
FROM fire_gap
GROUP BY trigger_id
ORDER BY trigger_id
