SELECT state FROM history WHERE id = :id
