UPDATE webhook_delivery SET state = 'dead', error = :error, ended_at = :at
WHERE id IN (SELECT id FROM webhook_delivery WHERE state = 'pending' AND created_at < :before ORDER BY created_at LIMIT :limit)
    AND state = 'pending'
