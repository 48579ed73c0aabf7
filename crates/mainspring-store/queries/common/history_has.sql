SELECT 1 FROM history WHERE id = :id
