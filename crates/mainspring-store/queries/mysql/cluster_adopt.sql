UPDATE JSON_TABLE(:runs, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS taken
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(taken.id)
SET r.claimed_by = :by
