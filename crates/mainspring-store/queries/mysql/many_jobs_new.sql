-- Numbers them in the order of the list.
INSERT INTO job (namespace, name, shard, paused, created_at, updated_at, version, "change")
SELECT r.namespace, r.name, r.shard, r.paused, r.created_at, r.updated_at, 1, 1
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    n FOR ORDINALITY,
    namespace VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    shard BIGINT PATH '$[2]',
    paused BIGINT PATH '$[3]',
    created_at BIGINT PATH '$[4]',
    updated_at BIGINT PATH '$[5]')) AS r
ORDER BY r.n
