-- Ids that are taken between two.
SELECT r.id FROM run r WHERE r.id >= :from AND r.id <= :to
UNION ALL
SELECT r.id FROM history r WHERE r.id >= :from AND r.id <= :to
