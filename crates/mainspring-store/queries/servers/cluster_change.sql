UPDATE node SET "change" = :number WHERE incarnation = :incarnation AND "change" < :number
