WITH heard AS (SELECT unhex(value) AS id FROM json_each(:workers))
UPDATE worker SET counter = counter + 1, heard_at = :at
WHERE id IN (SELECT id FROM heard)
