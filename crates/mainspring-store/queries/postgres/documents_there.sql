-- Which of these names are taken.
SELECT d.kind, d.name
FROM json_array_elements(CAST(:names AS json)) AS r (v)
JOIN document d ON d.kind = v ->> 0 AND d.name = v ->> 1
