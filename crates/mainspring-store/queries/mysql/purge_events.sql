-- Only those up to `through`: of later ones, webhooks have made no deliveries yet. See purge_gaps.
DELETE e
FROM (
    SELECT MIN(CASE WHEN at >= :before THEN seq END) AS seq
    FROM (SELECT seq, at FROM event WHERE seq <= :through ORDER BY seq LIMIT :limit) AS oldest) AS stays
STRAIGHT_JOIN (SELECT seq FROM event WHERE seq <= :through ORDER BY seq LIMIT :limit) AS old
    ON stays.seq IS NULL OR old.seq < stays.seq
STRAIGHT_JOIN event e FORCE INDEX (event_seq) ON e.seq = old.seq
