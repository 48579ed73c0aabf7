SELECT id, namespace, name, definition, source, states, version, epoch, saved_at FROM flow
ORDER BY namespace, name
