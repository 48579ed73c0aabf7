-- Puts runs into the lines of their workers, in order of ids, as others lock them. Those that wait no more stay. An id stands in an array, so
-- that there is no other way to join than by keys.
UPDATE run r
SET queue = e.line
FROM (SELECT CAST(v ->> 0 AS uuid) AS id, v ->> 1 AS line, v ->> 2 AS source FROM json_array_elements(CAST(:rows AS json)) AS p (v)) AS e
WHERE r.id = ANY (ARRAY[e.id]) AND r.state = 'queued' AND r.queue = e.source
