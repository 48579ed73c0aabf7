-- Drops the changes of shards that have just been taken. Whoever takes a shard reads all of it next, and knows of these by
-- then; of what was taken by an earlier message it may have read them already. One whose transaction is still open is passed over, and stays.
DELETE FROM trigger_change
WHERE trigger_id IN (
    SELECT trigger_id FROM trigger_change
    WHERE shard IN (
        SELECT s.shard FROM shard s WHERE s.lease = :lease AND s.xmin = pg_current_xact_id()::xid)
    ORDER BY seq LIMIT :limit FOR UPDATE SKIP LOCKED)
