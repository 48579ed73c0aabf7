DELETE FROM webhook_delivery
WHERE id IN (SELECT id FROM webhook_delivery WHERE state = :state AND ended_at < :before ORDER BY ended_at LIMIT :limit)
