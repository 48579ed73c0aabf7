-- Zero rows: something has got through since, or it rests already.
UPDATE webhook SET disabled_at = :at, disabled_reason = :reason
WHERE id = :id AND failing_since = :since AND disabled_at IS NULL
