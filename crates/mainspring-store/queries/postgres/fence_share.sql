-- The newest version of the row first: see taken_read. It keeps the row from being removed; a batch of fires may count on.
SELECT seq
FROM fence
WHERE incarnation >= :incarnation AND incarnation <= :incarnation
ORDER BY incarnation DESC
LIMIT 1
FOR KEY SHARE
