UPDATE JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
STRAIGHT_JOIN job j FORCE INDEX (PRIMARY) ON j.id = k.id
SET j.deleted_at = :at
WHERE j.deleted_at IS NULL
