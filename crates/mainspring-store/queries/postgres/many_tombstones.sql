SELECT s.name, s.trigger_id, s.fired_through, s.version, s.namespace, s.job
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
JOIN tombstone s ON s.namespace = k.v ->> 0 AND s.job = k.v ->> 1
ORDER BY s.namespace, s.job, s.name
