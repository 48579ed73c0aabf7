-- Takes changes one by one: a row with a lower number may be committed later.
DELETE FROM trigger_change
WHERE seq IN (
    SELECT seq FROM trigger_change WHERE shard = ANY (:shards) ORDER BY seq LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING seq, trigger_id
