UPDATE webhook SET failing_since = :at WHERE id = :id AND failing_since IS NULL
