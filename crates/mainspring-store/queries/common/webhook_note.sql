INSERT INTO webhook_delivery (webhook_id, message, kind, body, state, attempts, next_at, created_at)
VALUES (:webhook, :message, :kind, :body, 'pending', 0, :next_at, :created_at)
