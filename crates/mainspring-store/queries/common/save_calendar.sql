INSERT INTO calendar (namespace, name, change, definition, updated_at)
VALUES (:namespace, :name, :change, :definition, :at)
ON CONFLICT (namespace, name) DO UPDATE SET change = excluded.change, definition = excluded.definition,
    updated_at = excluded.updated_at
