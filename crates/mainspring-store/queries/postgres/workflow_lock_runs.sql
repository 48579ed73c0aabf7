-- Locks runs of workflows that are to end.
SELECT id FROM run
WHERE id = ANY (ARRAY(SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS e (v)))
ORDER BY id
FOR UPDATE
