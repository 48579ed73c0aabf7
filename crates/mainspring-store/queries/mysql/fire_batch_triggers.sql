-- Of these triggers, those that no batch has advanced since this one.
SELECT s.id
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = r.id
WHERE s.batch = :batch
