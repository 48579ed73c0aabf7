DELETE FROM setting WHERE name = :name
