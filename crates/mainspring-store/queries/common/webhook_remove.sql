DELETE FROM webhook WHERE id = :id
