-- In the order of their keys.
SELECT j.id
FROM json_array_elements(CAST(:keys AS json)) AS k (v)
JOIN job j ON j.namespace = k.v ->> 0 AND j.name = k.v ->> 1 AND j.deleted_at IS NULL
ORDER BY j.namespace, j.name
