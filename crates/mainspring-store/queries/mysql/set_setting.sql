INSERT INTO setting (name, value) VALUES (:name, :value) ON DUPLICATE KEY UPDATE value = VALUES(value)
