SELECT epoch FROM flow WHERE id = :id
