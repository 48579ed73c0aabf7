-- Zero rows: somebody else was faster.
DELETE FROM document WHERE kind = :kind AND name = :name AND version = :version
