UPDATE run SET claimed_by = :by WHERE id = :id
