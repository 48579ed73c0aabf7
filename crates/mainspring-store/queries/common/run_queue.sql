UPDATE run SET state = 'queued', reason = NULL WHERE id = :id AND state = :from
