SELECT id, namespace, name, definition, source, states, version, epoch, saved_at FROM flow
WHERE namespace = :namespace AND name = :name
