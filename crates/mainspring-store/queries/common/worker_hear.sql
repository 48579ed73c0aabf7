UPDATE worker SET counter = counter + 1, node = :node, heard_at = :at WHERE id = :id
