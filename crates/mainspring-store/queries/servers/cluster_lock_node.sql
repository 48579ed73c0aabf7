SELECT counter FROM node WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) FOR UPDATE
