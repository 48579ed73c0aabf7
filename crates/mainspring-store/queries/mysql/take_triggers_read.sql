-- Changes are taken one by one: a row with a lower number may be committed later.
SELECT seq, trigger_id
FROM trigger_change FORCE INDEX (trigger_change_seq)
WHERE SUBSTRING(:shards, shard + 1, 1) = '1'
ORDER BY seq
LIMIT :limit
FOR UPDATE SKIP LOCKED
