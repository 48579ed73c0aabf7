DELETE FROM flow WHERE id = :id
