SELECT id, message, kind, state, attempts, next_at, status, error, created_at, ended_at, body
FROM webhook_delivery
WHERE webhook_id = :webhook AND state = 'pending' AND next_at <= :at
ORDER BY next_at, id
LIMIT :limit
