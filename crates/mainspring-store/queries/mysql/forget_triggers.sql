-- One by one: a change with a lower number may be committed later. One that is noted again has another number then, and stays.
DELETE c
FROM JSON_TABLE(:numbers, '$[*]' COLUMNS (seq BIGINT PATH '$')) AS heard
STRAIGHT_JOIN trigger_change c FORCE INDEX (trigger_change_seq) ON c.seq = heard.seq
