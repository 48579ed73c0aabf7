UPDATE job SET deleted_at = :at WHERE id = :id AND deleted_at IS NULL
