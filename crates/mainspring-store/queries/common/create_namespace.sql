INSERT INTO namespace (name, created_at) VALUES (:name, :at) ON CONFLICT (name) DO NOTHING
