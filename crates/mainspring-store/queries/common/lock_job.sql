SELECT id FROM job WHERE id = :id
