-- Zero rows: somebody else was faster.
UPDATE document SET body = :body, version = :version, at = :at, expires_at = :expires_at
WHERE kind = :kind AND name = :name AND version = :before
