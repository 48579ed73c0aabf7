-- Zero rows: somebody else was faster.
UPDATE flow SET states = :states, version = :version WHERE id = :id AND version = :before
