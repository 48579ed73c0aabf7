-- Zero rows: somebody else was faster.
INSERT IGNORE INTO document (kind, name, body, version, at, expires_at)
VALUES (:kind, :name, :body, :version, :at, :expires_at)
