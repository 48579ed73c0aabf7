UPDATE worker SET draining = :draining WHERE id = :id
