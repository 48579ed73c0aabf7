SELECT name FROM calendar WHERE namespace = :namespace AND name = :name
