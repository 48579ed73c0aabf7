DELETE FROM webhook_delivery
WHERE id IN (SELECT id FROM webhook_delivery WHERE webhook_id = :webhook LIMIT :limit)
    AND NOT EXISTS (SELECT 1 FROM webhook WHERE webhook.id = webhook_delivery.webhook_id)
