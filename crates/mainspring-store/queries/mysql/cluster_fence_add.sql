INSERT IGNORE INTO fence (incarnation, seq) VALUES (:incarnation, 0)
