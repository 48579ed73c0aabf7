-- The newest version of the row first: see taken_read.
SELECT seq
FROM fence
WHERE incarnation >= :incarnation AND incarnation <= :incarnation
ORDER BY incarnation DESC
LIMIT 1
FOR NO KEY UPDATE
