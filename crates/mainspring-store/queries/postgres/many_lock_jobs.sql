-- In the order of their keys.
SELECT id
FROM job
WHERE id = ANY (ARRAY(
    SELECT j.id
    FROM json_array_elements(CAST(:keys AS json)) AS k (v)
    CROSS JOIN LATERAL (SELECT id FROM job WHERE namespace = k.v ->> 0 AND name = k.v ->> 1 AND deleted_at IS NULL OFFSET 0) AS j))
ORDER BY namespace, name
FOR UPDATE
