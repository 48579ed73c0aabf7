DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE webhook_id = :webhook LIMIT :limit)
