UPDATE run SET state = 'scheduled', not_before = :not_before, reason = 'retry_delay' WHERE id = :id AND state = 'running'
