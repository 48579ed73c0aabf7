INSERT INTO incarnation (id) VALUES (:id) RETURNING number
