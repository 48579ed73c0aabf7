-- Only those up to `through`: of later ones, webhooks have made no deliveries yet.
DELETE FROM event
WHERE seq IN (SELECT seq FROM event WHERE seq < COALESCE((
    SELECT seq FROM event WHERE at >= :before ORDER BY seq LIMIT 1), 9223372036854775807) AND seq <= :through
    ORDER BY seq LIMIT :limit)
