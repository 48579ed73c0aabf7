UPDATE webhook SET failing_since = NULL, disabled_at = NULL, disabled_reason = NULL, noted_through = :through
WHERE name = :name AND disabled_at IS NOT NULL
