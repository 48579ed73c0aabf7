-- Drops the changes of shards that have just been taken. Whoever takes a shard reads all of it next, and knows of these by
-- then; if none was taken now, it may have read them already. One whose transaction is still open is passed over, and stays.
DELETE c
FROM (
    SELECT trigger_id FROM trigger_change
    WHERE @changed = 1 AND shard IN (SELECT s.shard FROM shard s WHERE s.lease = :lease)
    ORDER BY seq LIMIT :limit FOR UPDATE SKIP LOCKED) AS known
STRAIGHT_JOIN trigger_change c FORCE INDEX (PRIMARY) ON c.trigger_id = known.trigger_id
