-- Zero rows: somebody else was faster.
DELETE FROM flow WHERE id = :id AND version = :version
