INSERT IGNORE INTO executor (number, name) VALUES (:number, :name)
