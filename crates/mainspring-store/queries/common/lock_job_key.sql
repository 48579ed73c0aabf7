SELECT id FROM job WHERE namespace = :namespace AND name = :name AND deleted_at IS NULL
