SELECT node FROM worker WHERE id = :id
