DELETE FROM document WHERE kind = :kind AND name = :name
