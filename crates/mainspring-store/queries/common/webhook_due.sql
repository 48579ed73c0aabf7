SELECT id, message, kind, body, state, attempts, next_at, status, error, created_at, ended_at
FROM webhook_delivery
WHERE webhook_id = :webhook AND state = 'pending' AND next_at <= :at
ORDER BY next_at, id
LIMIT :limit
