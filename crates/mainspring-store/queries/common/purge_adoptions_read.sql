-- Answers to adoptions from process starts that are forgotten: nobody asks again.
SELECT incarnation, slot
FROM fire_batch
WHERE slot > :kept AND slot - :kept NOT IN (SELECT number FROM incarnation)
LIMIT :limit
