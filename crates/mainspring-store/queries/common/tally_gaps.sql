SELECT trigger_id, CAST(COALESCE(SUM(CASE WHEN outcome = 'missed' THEN count END), 0) AS BIGINT),
    CAST(COALESCE(SUM(CASE WHEN outcome = 'suppressed' THEN count END), 0) AS BIGINT), MIN(first_at), MAX(last_at)
FROM fire_gap
GROUP BY trigger_id
ORDER BY trigger_id
