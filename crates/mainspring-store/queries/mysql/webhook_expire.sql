UPDATE webhook_delivery SET state = 'dead', error = :error, ended_at = :at
WHERE state = 'pending' AND created_at < :before
ORDER BY created_at
LIMIT :limit
