-- Which of these names are taken.
SELECT d.kind, d.name
FROM JSON_TABLE(:names, '$[*]' COLUMNS (
    kind VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
JOIN document d ON d.kind = r.kind AND d.name = r.name
