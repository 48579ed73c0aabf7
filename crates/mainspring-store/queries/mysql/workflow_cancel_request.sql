-- Asks for the ends of running runs. The first request stays.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
    id CHAR(32) PATH '$[0]', reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS e
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = UNHEX(e.id)
SET r.reason = e.reason, r.cancel_requested_at = :at
WHERE r.cancel_requested_at IS NULL
