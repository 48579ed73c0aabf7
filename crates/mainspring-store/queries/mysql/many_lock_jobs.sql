-- In the order of the list, which is that of the keys.
SELECT j.id
FROM JSON_TABLE(:keys, '$[*]' COLUMNS (
    namespace VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS k
STRAIGHT_JOIN job j FORCE INDEX (job_key) ON j.namespace = k.namespace AND j.name = k.name AND j.there = 1
FOR UPDATE /*!80001 OF j */
