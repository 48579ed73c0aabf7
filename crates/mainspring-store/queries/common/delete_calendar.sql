DELETE FROM calendar WHERE namespace = :namespace AND name = :name
