UPDATE JSON_TABLE(:workers, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS heard
STRAIGHT_JOIN worker w ON w.id = UNHEX(heard.id)
SET w.counter = w.counter + 1, w.heard_at = :at
