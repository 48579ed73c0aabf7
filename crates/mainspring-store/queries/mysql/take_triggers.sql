DELETE c
FROM JSON_TABLE(:triggers, '$[*]' COLUMNS (id BIGINT PATH '$')) AS taken
STRAIGHT_JOIN trigger_change c FORCE INDEX (PRIMARY) ON c.trigger_id = taken.id
