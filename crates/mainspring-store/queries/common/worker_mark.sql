-- Workers that a node hears from now on, or no more: with what its own count has added.
WITH marked AS (SELECT unhex(value) AS id FROM json_each(:workers))
UPDATE worker SET heard = :heard, counter = counter + :more, heard_at = :at
WHERE id IN (SELECT id FROM marked) AND node = :node AND heard <> :heard
