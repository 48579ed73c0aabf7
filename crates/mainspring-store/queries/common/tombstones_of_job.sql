SELECT name, trigger_id, fired_through, version FROM tombstone WHERE namespace = :namespace AND job = :job ORDER BY name
