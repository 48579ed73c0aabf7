DELETE FROM webhook_delivery WHERE webhook_id = :id
