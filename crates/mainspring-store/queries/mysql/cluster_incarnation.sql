INSERT IGNORE INTO incarnation (id) VALUES (:id)
