SELECT namespace, name, "change", definition, updated_at FROM calendar WHERE namespace = :namespace AND name = :name
