INSERT INTO executor (number, name) VALUES (:number, :name) ON CONFLICT (number) DO NOTHING
