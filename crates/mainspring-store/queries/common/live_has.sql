SELECT 1 FROM run WHERE id = :id
