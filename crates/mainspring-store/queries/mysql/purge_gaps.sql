-- Oldest records first, up to the first one that stays.
DELETE FROM fire_gap
WHERE seq < COALESCE((
    SELECT seq FROM (SELECT seq FROM fire_gap WHERE at >= :before ORDER BY seq LIMIT 1) AS first), 9223372036854775807)
ORDER BY seq
LIMIT :limit
