DELETE FROM webhook_delivery WHERE webhook_id = :webhook LIMIT :limit
