-- One by one: a change with a lower number may be committed later. One that is being noted again has another number then, and stays.
DELETE c
FROM (
    SELECT noted.trigger_id
    FROM JSON_TABLE(:numbers, '$[*]' COLUMNS (seq BIGINT PATH '$')) AS heard
    STRAIGHT_JOIN trigger_change noted FORCE INDEX (trigger_change_seq) ON noted.seq = heard.seq
    FOR UPDATE /*!80001 OF noted */ SKIP LOCKED) AS known
STRAIGHT_JOIN trigger_change c FORCE INDEX (PRIMARY) ON c.trigger_id = known.trigger_id
