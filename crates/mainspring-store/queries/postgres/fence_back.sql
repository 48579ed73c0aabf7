-- Takes back the step of a batch that had counted before.
UPDATE fence SET seq = seq - 1 WHERE incarnation = :incarnation
