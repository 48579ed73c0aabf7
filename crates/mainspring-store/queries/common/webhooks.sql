SELECT id, name, url, events, namespace, job, secret, previous_secret, previous_until, noted_through, created_at,
    failing_since, disabled_at, disabled_reason,
    (SELECT MIN(d.next_at) FROM webhook_delivery d WHERE d.webhook_id = webhook.id AND d.state = 'pending')
FROM webhook
ORDER BY name
