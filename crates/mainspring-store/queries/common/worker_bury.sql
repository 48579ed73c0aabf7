-- A counter below 0: whatever it is.
DELETE FROM worker WHERE id = :id AND (:counter < 0 OR counter = :counter)
