SELECT id FROM webhook WHERE name = :name
