-- Before each write, so that what expires need not be looked for otherwise.
DELETE FROM document WHERE kind = :kind AND expires_at <= :at
