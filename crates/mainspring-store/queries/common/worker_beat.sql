UPDATE worker SET counter = counter + 1, heard_at = :at WHERE id = :id
