-- Oldest records first, up to the first one that stays. No more are looked at than may be deleted: a bound that is read from the table is
-- none for the server.
DELETE g
FROM (SELECT seq FROM fire_gap ORDER BY seq LIMIT :limit) AS old
STRAIGHT_JOIN fire_gap g FORCE INDEX (PRIMARY) ON g.seq = old.seq
WHERE old.seq < COALESCE((
    SELECT seq FROM (SELECT seq, at FROM fire_gap ORDER BY seq LIMIT :limit) AS oldest WHERE at >= :before ORDER BY seq LIMIT 1),
    9223372036854775807)
