SELECT name FROM namespace WHERE name = :name
