-- Workers that a node hears from now on, or no more: with what its own count has added.
WITH marked AS (SELECT CAST(v AS uuid) AS id FROM json_array_elements_text(CAST(:workers AS json)) AS r (v))
UPDATE worker SET heard = :heard, counter = counter + :more, heard_at = :at
WHERE id = ANY (ARRAY(SELECT id FROM marked)) AND node = :node AND heard <> :heard
