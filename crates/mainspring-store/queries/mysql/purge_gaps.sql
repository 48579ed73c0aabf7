-- Oldest records first, up to the first one that stays. No more are looked at than may be deleted: a bound that is read from the table is
-- none for the server.
DELETE g
FROM (
    SELECT MIN(CASE WHEN at >= :before THEN seq END) AS seq
    FROM (SELECT seq, at FROM fire_gap ORDER BY seq LIMIT :limit) AS oldest) AS stays
STRAIGHT_JOIN (SELECT seq FROM fire_gap ORDER BY seq LIMIT :limit) AS old ON stays.seq IS NULL OR old.seq < stays.seq
STRAIGHT_JOIN fire_gap g FORCE INDEX (PRIMARY) ON g.seq = old.seq
