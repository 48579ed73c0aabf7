-- Takes back the step of a batch that had counted before. Only the row is locked: see fence_share.
UPDATE fence FORCE INDEX (PRIMARY) SET seq = seq - 1 WHERE incarnation = :incarnation
