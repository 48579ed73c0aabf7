UPDATE job SET "change" = "change" + 1, paused = :paused, updated_at = :at WHERE id = :id AND "change" = :change
