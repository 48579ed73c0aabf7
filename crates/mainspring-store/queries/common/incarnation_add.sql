INSERT INTO incarnation (id) VALUES (:id)
