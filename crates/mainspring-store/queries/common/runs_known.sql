-- Of these runs, those that were made before.
SELECT id FROM run WHERE id IN (SELECT unhex(value) FROM json_each(:runs))
UNION ALL
SELECT id FROM history WHERE id IN (SELECT unhex(value) FROM json_each(:runs))
