-- Answers to process starts without a fence: nothing is recorded for these any more, so they never ask again.
SELECT b.incarnation, b.slot
FROM fire_batch b
WHERE NOT EXISTS (SELECT 1 FROM fence f WHERE f.incarnation = b.incarnation)
LIMIT :limit
