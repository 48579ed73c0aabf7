WITH heard AS (SELECT CAST(v AS uuid) AS id FROM json_array_elements_text(CAST(:workers AS json)) AS r (v))
UPDATE worker SET counter = counter + 1, heard_at = :at
WHERE id = ANY (ARRAY(SELECT id FROM heard))
