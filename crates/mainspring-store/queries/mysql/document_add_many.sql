-- Fewer rows than these: somebody else was faster.
INSERT IGNORE INTO document (kind, name, body, version, at, expires_at)
SELECT r.kind, r.name, r.body, 1, r.at, r.expires_at
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    kind VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    body LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    at BIGINT PATH '$[3]',
    expires_at BIGINT PATH '$[4]')) AS r
