DELETE FROM history WHERE id = :id
