-- Zero rows: somebody else was faster.
INSERT INTO flow (definition, source, states, version, epoch, written, saved_at, namespace, name)
VALUES (:definition, :source, :states, :version, 0, 0, :at, :namespace, :name)
ON CONFLICT (namespace, name) DO NOTHING
