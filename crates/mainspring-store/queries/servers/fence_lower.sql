DELETE FROM fence WHERE incarnation = :incarnation
