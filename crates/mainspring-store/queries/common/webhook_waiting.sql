SELECT COUNT(*) FROM (SELECT id FROM webhook_delivery WHERE webhook_id = :webhook AND state = 'pending' LIMIT :most) AS waiting
