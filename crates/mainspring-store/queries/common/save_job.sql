UPDATE job SET "change" = "change" + 1, version = :version, paused = :paused, updated_at = :at
WHERE id = :id AND "change" = :change
