-- Zero rows: somebody else was faster.
INSERT INTO document (kind, name, body, version, at, expires_at)
VALUES (:kind, :name, :body, :version, :at, :expires_at)
ON CONFLICT (kind, name) DO NOTHING
