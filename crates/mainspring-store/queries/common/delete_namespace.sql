DELETE FROM namespace WHERE name = :name
