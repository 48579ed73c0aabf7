-- Only those up to `through`: of later ones, webhooks have made no deliveries yet. See purge_gaps.
DELETE e
FROM (SELECT seq FROM event WHERE seq <= :through ORDER BY seq LIMIT :limit) AS old
STRAIGHT_JOIN event e FORCE INDEX (event_seq) ON e.seq = old.seq
WHERE old.seq < COALESCE((
    SELECT seq
    FROM (SELECT seq, at FROM event WHERE seq IS NOT NULL ORDER BY seq LIMIT :limit) AS oldest
    WHERE at >= :before
    ORDER BY seq
    LIMIT 1), 9223372036854775807)
