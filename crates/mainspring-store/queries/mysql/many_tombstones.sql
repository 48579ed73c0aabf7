SELECT s.name, s.trigger_id, s.fired_through, s.version, s.namespace, s.job
FROM JSON_TABLE(:keys, '$[*]' COLUMNS (
    namespace VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS k
STRAIGHT_JOIN tombstone s FORCE INDEX (PRIMARY)
    ON s.namespace = k.namespace AND s.job = k.name
ORDER BY s.namespace, s.job, s.name
