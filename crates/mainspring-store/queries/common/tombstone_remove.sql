DELETE FROM tombstone WHERE namespace = :namespace AND job = :job AND name = :name
