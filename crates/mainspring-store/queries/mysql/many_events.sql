INSERT INTO event (at, payload, kind)
SELECT r.at, r.payload, 'job'
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    at BIGINT PATH '$[0]',
    payload LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
ORDER BY r.n
