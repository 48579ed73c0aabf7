SELECT node, draining FROM worker WHERE id = :id
