INSERT INTO trigger_change (trigger_id, shard)
SELECT r.trigger_id, r.shard
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    trigger_id BIGINT PATH '$[0]',
    shard BIGINT PATH '$[1]')) AS r
ORDER BY r.n
