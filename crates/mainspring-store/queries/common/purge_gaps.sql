-- Oldest records first, up to the first one that stays.
DELETE FROM fire_gap
WHERE seq IN (SELECT seq FROM fire_gap WHERE at < :before
    AND seq < COALESCE((SELECT MIN(seq) FROM fire_gap WHERE at >= :before), 9223372036854775807) ORDER BY seq LIMIT :limit)
