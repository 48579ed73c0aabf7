SELECT id FROM run WHERE id = :id
