DELETE FROM node WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND (counter = :counter OR :counter = -1)
