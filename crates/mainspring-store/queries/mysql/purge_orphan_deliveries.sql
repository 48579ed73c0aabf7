DELETE FROM webhook_delivery
WHERE webhook_id = :webhook AND NOT EXISTS (SELECT 1 FROM webhook WHERE webhook.id = webhook_delivery.webhook_id)
LIMIT :limit
