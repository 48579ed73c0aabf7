INSERT INTO fence (incarnation, seq) SELECT number, 0 FROM incarnation WHERE id = :id ON CONFLICT (incarnation) DO NOTHING
