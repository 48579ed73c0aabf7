UPDATE run SET priority = :priority WHERE id = :id AND state = 'queued'
