-- Notes the triggers of a job whose shard another process start owns.
REPLACE INTO trigger_change (shard, trigger_id)
SELECT s.shard, s.id
FROM job_trigger t
JOIN trigger_state s ON s.id = t.id
JOIN shard h ON h.shard = s.shard
WHERE t.job_id = :job AND h.owner <> :owner
ORDER BY t.position
