-- Not with IGNORE, which would cut a name that is too long. Where another transaction is first, this one is repeated.
INSERT INTO namespace (name, created_at)
SELECT :name, :at FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM namespace WHERE name = :name)
