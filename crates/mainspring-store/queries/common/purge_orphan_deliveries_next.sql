-- The next webhook, there or gone, that has deliveries.
SELECT MIN(webhook_id) FROM webhook_delivery WHERE webhook_id > :after
