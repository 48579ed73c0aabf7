UPDATE node SET drain_asked = :drain WHERE incarnation = :incarnation
