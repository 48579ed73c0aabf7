UPDATE fence SET seq = seq + 1 WHERE incarnation = :incarnation
