INSERT INTO fence (incarnation, seq) VALUES (:incarnation, 0) ON CONFLICT (incarnation) DO NOTHING
