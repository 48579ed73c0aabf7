-- Drops the changes of shards that have just been taken. Whoever takes a shard reads all of it next, and knows of these by
-- then. One whose transaction is still open is passed over, and stays.
DELETE FROM trigger_change
WHERE trigger_id IN (
    SELECT trigger_id FROM trigger_change
    WHERE shard IN (SELECT s.shard FROM shard s WHERE s.lease = :lease)
    ORDER BY seq LIMIT :limit FOR UPDATE SKIP LOCKED)
