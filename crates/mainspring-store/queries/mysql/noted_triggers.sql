SELECT seq, trigger_id
FROM trigger_change FORCE INDEX (trigger_change_seq)
WHERE SUBSTRING(:shards, shard + 1, 1) = '1'
ORDER BY seq
LIMIT :limit
