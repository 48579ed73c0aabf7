-- Locks what nobody else has locked.
SELECT s.id
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (id BIGINT PATH '$')) AS r
STRAIGHT_JOIN trigger_state s FORCE INDEX (PRIMARY) ON s.id = r.id
FOR UPDATE /*!80001 OF s */ SKIP LOCKED
