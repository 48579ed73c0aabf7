SELECT id, name, url, events, namespace, job, secret, previous_secret, previous_until, noted_through, created_at
FROM webhook
ORDER BY name
