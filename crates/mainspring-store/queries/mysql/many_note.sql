REPLACE INTO trigger_change (shard, trigger_id)
SELECT s.shard, s.id
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = k.id
ORDER BY s.id
