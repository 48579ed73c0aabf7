INSERT INTO incarnation (id) VALUES (:id) ON CONFLICT (id) DO NOTHING
