INSERT INTO trigger_change (shard, trigger_id)
SELECT shard, id
FROM trigger_state
WHERE id = ANY (ARRAY(SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:triggers AS json)) AS k (v)))
ORDER BY id
ON CONFLICT (trigger_id) DO UPDATE SET seq = excluded.seq
