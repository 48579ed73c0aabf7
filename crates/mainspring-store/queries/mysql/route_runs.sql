-- Puts runs into the lines of their workers, in order of ids, as others lock them. Those that wait no more stay.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]',
    line VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    source VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
SET r.queue = e.line
WHERE r.state = 'queued' AND r.queue = e.source
