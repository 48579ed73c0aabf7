-- Takes changes one by one: a row with a lower number may be committed later.
DELETE FROM trigger_change
WHERE trigger_id IN (
    SELECT trigger_id FROM trigger_change WHERE shard = ANY (:shards) ORDER BY seq LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING seq, trigger_id
