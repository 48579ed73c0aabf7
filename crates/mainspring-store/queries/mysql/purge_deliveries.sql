DELETE FROM webhook_delivery
WHERE state = :state AND ended_at < :before
ORDER BY ended_at
LIMIT :limit
