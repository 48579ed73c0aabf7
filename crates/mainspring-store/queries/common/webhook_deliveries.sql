-- Without the bodies, which are long.
SELECT id, message, kind, state, attempts, next_at, status, error, created_at, ended_at
FROM webhook_delivery
WHERE webhook_id = :webhook AND id < :before
ORDER BY id DESC
LIMIT :limit
