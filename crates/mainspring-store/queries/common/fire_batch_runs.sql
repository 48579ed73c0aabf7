-- Where runs of a repeated batch are now: unfinished ones with their state, and those that have ended.
SELECT id, state, attempt, claimed_by FROM run WHERE id IN (SELECT unhex(value) FROM json_each(:runs))
UNION ALL
SELECT id, NULL, NULL, NULL FROM history WHERE id IN (SELECT unhex(value) FROM json_each(:runs))
