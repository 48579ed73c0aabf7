UPDATE webhook SET failing_since = NULL WHERE id = :id AND failing_since IS NOT NULL
