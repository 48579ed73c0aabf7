SELECT number FROM incarnation WHERE id = :id
