SELECT kind, name, body, version, at, expires_at FROM document
WHERE kind = :kind AND name = :name AND (expires_at IS NULL OR expires_at > :at)
