UPDATE worker SET place = :place WHERE id = :id
