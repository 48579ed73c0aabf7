-- Locks runs of workflows that are to end, in the order of the list.
SELECT r.id
FROM JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
FOR UPDATE /*!80001 OF r */
