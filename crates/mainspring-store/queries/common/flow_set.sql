-- Zero rows: somebody else was faster.
UPDATE flow SET definition = :definition, source = :source, states = :states, version = :version, saved_at = :at
WHERE namespace = :namespace AND name = :name AND version = :before
