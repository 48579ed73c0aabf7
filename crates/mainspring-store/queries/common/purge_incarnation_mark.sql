UPDATE incarnation SET unused_since = :at WHERE number = :number
