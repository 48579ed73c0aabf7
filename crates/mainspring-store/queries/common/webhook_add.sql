INSERT INTO webhook (name, url, events, namespace, job, secret, noted_through, created_at)
VALUES (:name, :url, :events, :namespace, :job, :secret, :noted_through, :created_at)
ON CONFLICT (name) DO NOTHING
