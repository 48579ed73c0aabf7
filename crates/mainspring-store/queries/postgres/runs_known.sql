-- Of these runs, those that were made before.
SELECT id FROM run WHERE id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
UNION ALL
SELECT id FROM history WHERE id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
